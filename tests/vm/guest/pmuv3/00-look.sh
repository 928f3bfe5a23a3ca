#!/bin/sh
. /vm/lib.sh
ls $pmus; dmesg | tail -5
cat $pmus/armv8_pmuv3_0/type $pmus/armv8_pmuv3_0/events/*
ls $pmus/armv8_pmuv3_0/events
duty 1 10 10 &
perf stat -C 1 -M ipc sleep 1
perf stat -C 1 -M ipc -j sleep 1
perf stat -a -A -I 300 -M ipc -x, sleep 1
m1top stat --events-dir /vm/linux-events -n 3 -I 300 -e cpu_cycles,inst_retired -M ipc
kill %1
duty 1 7 20 &
perf stat -C 1 -M ipc -j sleep 1
perf stat -C 1 -M ipc -j sleep 1
m1top stat --events-dir /vm/linux-events -n 3 -I 300 -e cpu_cycles,inst_retired -M ipc
perf list --raw-dump metrics
m1top --events-dir /vm/linux-events list metrics
m1top doctor
finish
