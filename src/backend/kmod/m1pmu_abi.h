/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/* m1pmu_abi.h: what /dev/m1pmu understands; for the module and for user space */
#ifndef M1PMU_ABI_H
#define M1PMU_ABI_H

#include <linux/ioctl.h>
#include <linux/types.h>

/*
 * One session: open, M1PMU_INFO (compare abi), M1PMU_ACQUIRE, M1PMU_PROGRAM and M1PMU_READ as often
 * as wanted, close. Closing, however it comes about, puts every register back as it was when it was
 * acquired.
 *
 * What an open file may do goes with it: to a child, a copy of the descriptor, or a process that it
 * is sent to. It is closed when the last of them has gone, mappings included: open with O_CLOEXEC.
 *
 * open() needs CAP_PERFMON or CAP_SYS_ADMIN, else EPERM, and the leave of the security modules to
 * count the kernel, where the kernel lets modules ask (perf_allow_kernel), else EACCES. The device
 * is root's alone until a rule of udev's opens it to others. Many may have the device open; one of
 * the open files owns the PMU. INFO, CPU, AMU_READ and mmap() need no ownership; all other requests
 * answer EACCES to a file that does not own it.
 *
 * mmap() at offset 0, length m1pmu_info.gen_bytes, PROT_READ only: struct m1pmu_gen[n_cpus].
 *
 * Errors that every request may give: EFAULT; ENOTTY not a request of this version; EINVAL also for
 * a reserved field that is not 0.
 */
#define M1PMU_ABI         1
#define M1PMU_DEVICE      "/dev/m1pmu"
#define M1PMU_N_COUNTERS  10 /* PMC0 (cycles) and PMC1 (instructions) fixed, PMC2-9 free */

/* ---- what there is ---- */

#define M1PMU_APPLE       0x1  /* the CPUs are Apple's; their PMU is known and answers */
#define M1PMU_DRIVER      0x2  /* the kernel's own Apple driver has the PMU: ACQUIRE gives EBUSY */
#define M1PMU_AMU         0x4  /* loaded with amu=1: AMU_READ may be tried */
#define M1PMU_OWNED       0x8  /* some open file owns the PMU: owner_pid */
#define M1PMU_MINE        0x10 /* ... and it is this one */
#define M1PMU_EL0_OPEN    0x20 /* PMCR0[30] is set: every process can read and write the PMU */
#define M1PMU_L2C_CLUSTER 0x40 /* L2C events count cluster-wide */
#define M1PMU_NO_EL3      0x80 /* ID_AA64PFR0_EL1.EL3 is 0: there is no Secure state */

struct m1pmu_info {
	__u32 abi;        /* M1PMU_ABI of the module */
	__u32 flags;      /* M1PMU_APPLE ... M1PMU_NO_EL3 */
	__u32 n_cpus;     /* possible CPUs: CPU numbers are below this */
	__u32 n_counters; /* M1PMU_N_COUNTERS */
	__s32 owner_pid;  /* process that owns the PMU, as the caller sees it; 0: none, unseen */
	__u32 gen_bytes;  /* length to mmap(): whole pages */
	__u32 l2c_bit;    /* bit of PMCR0 that M1PMU_L2C sets: 23 (or 21: module parameter) */
	__u32 reserved;
};

#define M1PMU_CPU_ONLINE 0x1 /* it can be programmed and read now */
#define M1PMU_CPU_MASKS  0x2 /* legal counters of its events are known; else PROGRAM wants FORCE */
#define M1PMU_CPU_AMU    0x4 /* AMU_READ reads its activity monitors */

struct m1pmu_cpu {
	__u32 cpu;       /* in: CPU number. EINVAL: not a possible one */
	__u32 flags;     /* M1PMU_CPU_... */
	__u64 midr;      /* MIDR_EL1; 0: it was never online since the module was loaded */
	__u8 type;       /* 'E' or 'P'; 0: not an Apple core that the module knows */
	__u8 n_counters; /* 10; 0 as above */
	__u8 width;      /* bits a counter counts in: 48 or 64; 0 as above */
	__u8 event_bits; /* bits of an event id: 8 or 16; 0 as above */
	char family[12]; /* "M1", "M2", "M3", "M4", ...: NUL-terminated; "" as above */
};

/* ---- the PMU ---- */

/*
 * M1PMU_ACQUIRE: become the owner; saves PMCR0, PMCR1, PMESR0, PMESR1 and PMC0-9 of every CPU and
 * stops all counters. Their values stay. 0 also for who owns it already.
 * ENODEV: no Apple PMU. EBUSY: owned by another file (M1PMU_OWNED, owner_pid), or the kernel's
 * Apple driver has it (M1PMU_DRIVER; boot with initcall_blacklist=m1_pmu_driver_init).
 *
 * M1PMU_RELEASE: put all registers back, as close() does.
 */

#define M1PMU_THIS_CPU 0xffffffffu /* the CPU that the caller runs on: no message to others */
#define M1PMU_ALL_CPUS 0xfffffffeu /* every CPU, also those that come online later */

#define M1PMU_FORCE    0x1 /* discovery: any event that fits its field, on any counter */

#define M1PMU_USER     0x1 /* count at EL0 (AArch64) */
#define M1PMU_KERNEL   0x2 /* count at EL1, where a host kernel at EL2 with VHE counts too */

/*
 * M1PMU_PROGRAM: stop, set both PMESR and PMCR1, start the counters in `enable`. They go on from
 * the value they have: take differences. enable = 0 stops all of them.
 * EINVAL: a field out of range, or `counter` cannot count its event and FORCE is not given;
 * ERANGE: the event id of `counter` does not fit in event_bits; ENODEV: the CPU is not online;
 * ECANCELED: the session has ended, see M1PMU_EL0.
 * After an error nothing was written.
 */
struct m1pmu_program {
	__u32 cpu;                     /* CPU number, M1PMU_THIS_CPU or M1PMU_ALL_CPUS */
	__u32 flags;                   /* M1PMU_FORCE */
	__u32 enable;                  /* bit n: PMCn counts */
	__s32 counter;                 /* out: the counter that was refused; -1: none */
	__u16 event[M1PMU_N_COUNTERS]; /* event id of PMC2-9, 0: none; [0] and [1] must be 0 */
	__u8 filter[M1PMU_N_COUNTERS]; /* M1PMU_USER | M1PMU_KERNEL; not 0 where enabled */
	__u8 reserved[2];
};

#define M1PMU_CHANGED 0x1 /* PMCR0 is not as it was programmed: the counts are worth nothing */

/*
 * M1PMU_READ: all counters of the calling CPU, between two ISBs with interrupts off.
 * ENODEV: this CPU is going off. ECANCELED: as above.
 */
struct m1pmu_read {
	__u32 cpu;                   /* the CPU that was read */
	__u32 generation;            /* m1pmu_gen.generation of that CPU at the time */
	__u32 idle;                  /* m1pmu_gen.idle likewise */
	__u32 flags;                 /* M1PMU_CHANGED */
	__u64 time_ns;               /* CLOCK_MONOTONIC just before the first counter */
	__u64 pmc[M1PMU_N_COUNTERS]; /* raw, m1pmu_cpu.width bits */
};

/*
 * M1PMU_REGS: control registers of the calling CPU now, and as they read just after the module
 * wrote them. Different: somebody else wrote them, or the core lost its state. ENODEV: as above.
 */
struct m1pmu_control {
	__u64 pmcr0;
	__u64 pmcr1;
	__u64 pmesr0;
	__u64 pmesr1;
};

struct m1pmu_regs {
	__u32 cpu;
	__u32 generation;
	struct m1pmu_control now;
	struct m1pmu_control written;
};

/*
 * M1PMU_EL0: 1 sets PMCR0[30] on every CPU, 0 clears it. While it is set *every* process can read
 * and write PMCR0, PMCR1, PMESR0/1 and PMC0-9; the kernel log says so. Closed with the session. A
 * process can enable interrupts that nobody handles, and so bring a core to a stand: the module
 * looks on every CPU each second, clears them, closes the registers and ends the session. From then
 * on there is ECANCELED for whatever counts, until the owner releases the PMU.
 *
 * M1PMU_L2C: 0 L2C events count what this core did (default), 1 what its cluster did.
 */

/* ---- shared with user space, read only ---- */

/*
 * generation: + 1 whenever registers and counters were taken away and put back (deep idle,
 *             hotplug), and when M1PMU_READ found PMCR0 changed. Not to be trusted: a difference
 *             across it, unless `idle` grew by as much.
 * idle:       how many of these were deep idle that the kernel announced (CPU_PM): there the
 *             counters went on from exactly where they were.
 */
struct m1pmu_gen {
	__u32 generation;
	__u32 idle;
};

/* ---- Activity Monitors, on any arm64 machine, with the module parameter amu=1 ---- */

/*
 * M1PMU_AMU_READ: the activity monitors of the calling CPU; each is asked by itself. EOPNOTSUPP: not
 * loaded with amu=1, or this CPU's ID_AA64PFR0_EL1.AMU is 0. ENXIO: it is not, but reading them traps.
 */
struct m1pmu_amu {
	__u32 cpu;
	__u32 n_aux;   /* counters in aux: AMCGCR.CG1NC, at most 16 */
	__u64 time_ns; /* CLOCK_MONOTONIC just before the first counter */
	__u64 amcfgr;
	__u64 amcgcr;
	__u64 enabled;      /* AMCNTENSET0 in bits 15:0, AMCNTENSET1 in bits 31:16 */
	__u64 fixed[4];     /* core cycles, constant, instructions retired, memory stall cycles */
	__u64 aux[16];      /* AMEVCNTR1<n> */
	__u64 aux_type[16]; /* AMEVTYPER1<n>: event number */
};

#define M1PMU_IOC      0xe1
#define M1PMU_INFO     _IOR(M1PMU_IOC, 0, struct m1pmu_info)
#define M1PMU_CPU      _IOWR(M1PMU_IOC, 1, struct m1pmu_cpu)
#define M1PMU_ACQUIRE  _IO(M1PMU_IOC, 2)
#define M1PMU_RELEASE  _IO(M1PMU_IOC, 3)
#define M1PMU_PROGRAM  _IOWR(M1PMU_IOC, 4, struct m1pmu_program)
#define M1PMU_READ     _IOR(M1PMU_IOC, 5, struct m1pmu_read)
#define M1PMU_REGS     _IOR(M1PMU_IOC, 6, struct m1pmu_regs)
#define M1PMU_EL0      _IOW(M1PMU_IOC, 7, __u32)
#define M1PMU_L2C      _IOW(M1PMU_IOC, 8, __u32)
#define M1PMU_AMU_READ _IOR(M1PMU_IOC, 9, struct m1pmu_amu)

#endif
