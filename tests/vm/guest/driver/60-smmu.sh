#!/bin/sh
# the stock SMMUv3 PMCG driver on registers in memory: m1top shows just what the test lets happen there
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh
smmu=/sys/kernel/debug/pmcg_ram
one=smmuv3_pmcg_7fe00 # each counter has its filter
all=smmuv3_pmcg_7fe10 # one filter for all of them
zero=smmuv3_pmcg_7fe20

if ! [ -e /lib/modules/arm_smmuv3_pmu.ko ]; then
	skip "SMMUv3 counters" "this kernel has no arm_smmuv3_pmu"
	finish
fi
insmod /lib/modules/pmcg_ram.ko && insmod /lib/modules/arm_smmuv3_pmu.ko
is "the stock driver finds all counter groups" "$(cd "$pmus" && echo smmuv3_pmcg_*)" "$one $all $zero"
has "list pmus names the one whose registers read as zero" "$(m1top list pmus)" \
	"^$zero .* its registers read as zero: .*SCR.NSRA"
report=$(m1top doctor)
has "so does doctor" "$report" "- +$zero: uncore, .*: its registers read as zero: .*SCR.NSRA"
has "which has nothing against the others" "$report" "ok $all: uncore, type [0-9]+, cpu [0-9]+\$"
m1top stat -n 1 -e $zero/event=0x81/ >/tmp/table 2>/tmp/err
is "no event of it is counted" $? 2
has "and the reason is given" "$(cat /tmp/err)" "$zero: its registers read as zero"

happens() { # group, event, stream, times
	echo "add $*" >$smmu/ctl
}

count() { # events…: in the background, a line an event and tick in /tmp/csv
	events=$1
	shift
	m1top stat -I 250 --budget 100 --format perf -e "$events" "$@" >/tmp/csv 2>/tmp/err &
	pid=$!
	await has_line 1
}

# shellcheck disable=SC2317 # by await
has_line() { # number
	[ "$(wc -l </tmp/csv)" -ge "$1" ]
}

# Two more ticks, so that what has happened before is in a line.
pass() {
	await has_line $(($(wc -l </tmp/csv) + 2 * ${1:-1} + 1))
}

# What one event of a group counted in all ticks, in the order of time, without the quiet ones.
counts() { # pmu, terms
	awk -F, -v event="$1/$2/" 'index($0, event) && $4 > 0 { printf "%s ", $4 }' /tmp/csv
}

count "smmuv3_pmcg/transaction/,smmuv3_pmcg/tlb_miss/"
happens 0 1 0x40 1000
happens 1 1 0x40 70
pass 4
happens 0 1 0x41 234
happens 0 2 0x41 17
happens 1 2 0x99 5
pass 4
happens 0 1 0x7fffffff 1
happens 0 3 0x40 99999
pass 4
stop $pid
is "transactions of the first SMMU, tick by tick" "$(counts $one transaction)" "1000 234 1 "
is "its TLB misses" "$(counts $one tlb_miss)" "17 "
is "transactions of the second, whose counters have 64 bits" "$(counts $all transaction)" "70 "
is "its TLB misses" "$(counts $all tlb_miss)" "5 "
is "a row for each device" "$(cut -d, -f2,3 /tmp/csv | sort -u | tr '\n' ' ')" "$one,1 $all,1 "
has "Secure streams are spoken of, once" "$(grep -c Secure /tmp/err)" '^1$'
has "it is up to the firmware" "$(cat /tmp/err)" 'leave out Secure streams unless the firmware lets them in \(SCR.SO\)'
lacks "never a line without its count" "$(cat /tmp/csv)" 'not (counted|supported)'

count "$one/transaction,stream=0x40-0x7f/,$one/transaction/,$one/transaction,stream=66/,$one/tlb_miss,stream=0x42-0x43/"
is "the driver got the span of 0x40-0x7f, all, one id, and two" "$(sed -n 's/^0\.\(. .*\) cr=.*/\1/p' $smmu/regs | tr '\n' ';')" \
	"0 event=1 span=1 smr=0x5f;1 event=1 span=1 smr=0xffffffff;2 event=1 span=0 smr=0x42;3 event=2 span=1 smr=0x42;"
for stream in 0x3f 0x40 0x42 0x43 0x7f 0x80; do
	happens 0 1 $stream $((stream * 1000))
	happens 0 2 $stream $((stream * 10))
	pass 4
done
stop $pid
has "with a filter it is not up to the firmware" "$(cat /tmp/err)" 'with a stream filter are of Non-secure streams alone'
has "without one it is" "$(cat /tmp/err)" 'leave out Secure streams unless the firmware lets them in'
is "Linux has left FILTER_SEC_SID 0 in all of them" "$(grep -c '^0.* sec=0$' $smmu/regs)" 4
is "with a range: only its streams" "$(counts $one transaction,stream=0x40-0x7f)" "64000 66000 67000 127000 "
is "with one id: only that" "$(counts $one transaction,stream=66)" "66000 "
is "with two ids: only those" "$(counts $one tlb_miss,stream=0x42-0x43)" "660 670 "
is "without a filter: all of them" "$(counts $one transaction)" "63000 64000 66000 67000 127000 128000 "

m1top stat -n 1 -e $one/transaction,stream=0x40-0x80/ >/tmp/table 2>/tmp/err
is "a range that cannot be matched is refused" $? 2
has "and the nearest is named" "$(cat /tmp/err)" 'stream=0x40-0x80 cannot be matched: .* nearest is 0x40-0x7f'

m1top stat -n 1 -e $all/transaction,stream=0x40/,$all/transaction/ >/tmp/table 2>/tmp/err
is "two filters where there is one are multiplexed" $? 0
has "and that is said" "$(cat /tmp/err)" '2 sets are multiplexed'

m1top stat -n 1 -e $all/pcie_ats_trans_rq/ >/tmp/table 2>/tmp/err
has "an event that this SMMU lacks is no term of it" "$(cat /tmp/err)" 'pcie_ats_trans_rq'

count "$all/transaction,stream=0x40/,$all/tlb_miss,stream=0x40/" -M smmu_tlb_miss_ratio
happens 1 1 0x40 2000
happens 1 2 0x40 50
happens 1 1 0x41 7777
pass 2
stop $pid
is "one filter for all: transactions" "$(counts $all transaction,stream=0x40)" "2000 "
is "and misses" "$(counts $all tlb_miss,stream=0x40)" "50 "
has "their ratio" "$(cat /tmp/csv)" ',2\.5,%  smmu_tlb_miss_ratio$'
lacks "with nothing but filters the firmware does not matter" "$(cat /tmp/err)" 'unless the firmware'

insmod /lib/modules/m1pmu.ko amu=1 # which sees that this machine has no EL3
m1top stat -I 250 -n 1 -e smmuv3_pmcg/transaction/,$one/transaction,stream=0x40/ >/tmp/table 2>/tmp/err
is "without a Secure state that is said, once" "$(grep Secure /tmp/err | sed 's/.*: //')" \
	"this system has no Secure state (EL3)"
has "and by doctor" "$(m1top doctor)" 'ok smmuv3_pmcg: all streams are Non-secure: this system has no Secure state'
rmmod m1pmu

# another tool's pinned event, with a filter of its own, keeps ours out
hog "$(cat "$pmus/$all/cpumask")" $all 2 0x200000041 >/tmp/hog &
hog=$!
await grep -q holding /tmp/hog
m1top stat -I 250 -n 4 -e $all/transaction/ >/tmp/table 2>/tmp/err
kill $hog
has "another tool's filter: not counted" "$(tail -n 1 /tmp/table)" "$all +-$"
has "and m1top says why" "$(cat /tmp/err)" "$all/transaction/ does not run: .* counts other streams with their only filter"
finish
