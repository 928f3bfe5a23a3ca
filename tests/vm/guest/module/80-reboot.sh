#!/bin/sh
# a session ends before the machine goes down, as kexec would start the next kernel with its registers
# shellcheck source=tests/vm/guest/lib.sh
. /vm/lib.sh

registers() {
	sed 's/.*\( PMCR0\)/\1/; s/ AMU0.*//' $emu/regs
}

if ! grep -q ' reboot_notifier_list$' /proc/kallsyms; then
	skip "the registers are put back before the machine goes down" "this kernel does not name its reboot notifiers"
	finish
fi

emulate freeze 1
emulate reg 4 PMESR1 0x55667788
before=$(registers)
m1pmu hold >/tmp/held &
await grep -q program /tmp/held
lacks "a session has the registers" "$(registers)" "PMESR1=0x55667788"
emulate reboot
is "they are put back before the machine goes down" "$(registers)" "$before"
wait $!
is "the owner gets ECANCELED, others EACCES, and nobody a new session" "$(sed 1,2d /tmp/held)" \
	"read: Operation canceled
program: Operation canceled
acquire: Operation canceled
another reads: Permission denied
release: Success
acquire: No such device"
has "the kernel log says why" "$(dmesg)" 'm1pmu: the machine goes down: the registers are put back'
emulate freeze 0
finish
