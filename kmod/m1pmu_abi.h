/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/* m1pmu_abi.h: interface of /dev/m1pmu, for the module and for user space */
#ifndef M1PMU_ABI_H
#define M1PMU_ABI_H

#include <linux/ioctl.h>
#include <linux/types.h>

/*
 * A session: open, M1PMU_INFO (compare abi), M1PMU_ACQUIRE, any number of M1PMU_PROGRAM and
 * M1PMU_READ, close. Closing, for whatever reason, restores every register to its state at ACQUIRE.
 *
 * Rights belong to the open file: a child, a copy of the descriptor and a process that receives it
 * share them. The file is closed with its last reference, mappings included: open with O_CLOEXEC.
 *
 * open() needs CAP_PERFMON or CAP_SYS_ADMIN, else EPERM, and the security modules' permission to
 * count the kernel, if the kernel exports that check (perf_allow_kernel), else EACCES. Only root
 * can access the device unless a udev rule permits others. Several files can be open; one of them
 * owns the PMU. INFO, CPU, AMU_READ and mmap() need no ownership; all other requests return EACCES
 * to other files.
 *
 * mmap() at offset 0, length m1pmu_info.gen_bytes, PROT_READ only: struct m1pmu_gen[n_cpus].
 *
 * Errors of all requests: EFAULT; ENOTTY: not a request of this version; EINVAL, also for a
 * reserved field that is not 0.
 */
#define M1PMU_ABI         1
#define M1PMU_DEVICE      "/dev/m1pmu"
#define M1PMU_N_COUNTERS  10 /* PMC0 (cycles) and PMC1 (instructions) fixed, PMC2-9 programmable */

/* ---- information ---- */

#define M1PMU_APPLE       0x1  /* the CPUs are Apple's; their PMU is known and readable */
#define M1PMU_DRIVER      0x2  /* the kernel's Apple driver has the PMU: ACQUIRE returns EBUSY */
#define M1PMU_AMU         0x4  /* loaded with amu=1: AMU_READ may succeed */
#define M1PMU_OWNED       0x8  /* an open file owns the PMU: owner_pid */
#define M1PMU_MINE        0x10 /* ... and it is the caller's */
#define M1PMU_EL0_OPEN    0x20 /* PMCR0[30] is set: every process can read and write the PMU */
#define M1PMU_L2C_CLUSTER 0x40 /* L2C events count the whole cluster */
#define M1PMU_NO_EL3      0x80 /* ID_AA64PFR0_EL1.EL3 is 0: no Secure state */

struct m1pmu_info {
	__u32 abi;        /* M1PMU_ABI of the module */
	__u32 flags;      /* M1PMU_APPLE ... M1PMU_NO_EL3 */
	__u32 n_cpus;     /* possible CPUs: CPU numbers are below this */
	__u32 n_counters; /* M1PMU_N_COUNTERS */
	__s32 owner_pid;  /* owner process in the caller's PID namespace; 0: none or not visible */
	__u32 gen_bytes;  /* length for mmap(): whole pages */
	__u32 l2c_bit;    /* bit of PMCR0 that M1PMU_L2C sets: 23 (or 21: module parameter) */
	__u32 reserved;
};

#define M1PMU_CPU_ONLINE 0x1 /* can be programmed and read now */
#define M1PMU_CPU_MASKS  0x2 /* counters of its events are known; else PROGRAM needs FORCE */
#define M1PMU_CPU_AMU    0x4 /* AMU_READ can read its activity monitors */

struct m1pmu_cpu {
	__u32 cpu;       /* in: CPU number. EINVAL: not a possible CPU */
	__u32 flags;     /* M1PMU_CPU_... */
	__u64 midr;      /* MIDR_EL1; 0: never online since the module was loaded */
	__u8 type;       /* 'E' or 'P'; 0: not a known Apple core */
	__u8 n_counters; /* 10; 0 as above */
	__u8 width;      /* counter width, bits: 48 or 64; 0 as above */
	__u8 event_bits; /* width of an event id, bits: 8 or 16; 0 as above */
	char family[12]; /* "M1", "M2", "M3", "M4", ...: NUL-terminated; "" as above */
};

/* ---- the PMU ---- */

/*
 * M1PMU_ACQUIRE: become the owner: save PMCR0, PMCR1, PMESR0, PMESR1 and PMC0-9 of every CPU and
 * stop all counters. Their values stay. Returns 0 to the present owner. ENODEV: no Apple PMU, or
 * shutdown. ECANCELED: the session has ended; release or close first. EBUSY: owned by another file
 * (M1PMU_OWNED, owner_pid), or by the kernel's Apple driver (M1PMU_DRIVER; boot with
 * initcall_blacklist=m1_pmu_driver_init).
 *
 * M1PMU_RELEASE: restore all registers, as close() does.
 */

#define M1PMU_THIS_CPU 0xffffffffu /* the caller's CPU: no interrupt to others */
#define M1PMU_ALL_CPUS 0xfffffffeu /* all CPUs, also those that come online later */

#define M1PMU_FORCE    0x1 /* for discovery: allow any event that fits its field on any counter */

#define M1PMU_USER     0x1 /* count EL0 (AArch64) */
#define M1PMU_KERNEL   0x2 /* count EL1, including a VHE host kernel at EL2 */

/*
 * M1PMU_PROGRAM: stop, set both PMESR and PMCR1, start the counters in `enable`. They continue from
 * their values: take differences. enable = 0 stops all of them.
 * EINVAL: a field is out of range, or `counter` cannot count its event without FORCE;
 * ERANGE: the event id of `counter` does not fit in event_bits; ENODEV: the CPU is not online;
 * ECANCELED: the session has ended, see below; all counters are stopped, even if this request wrote
 * some. After any other error nothing was written.
 */
struct m1pmu_program {
	__u32 cpu;                     /* CPU number, M1PMU_THIS_CPU or M1PMU_ALL_CPUS */
	__u32 flags;                   /* M1PMU_FORCE */
	__u32 enable;                  /* bit n: PMCn counts */
	__s32 counter;                 /* out: the refused counter; -1: none */
	__u16 event[M1PMU_N_COUNTERS]; /* event id of PMC2-9, 0: none; [0] and [1] must be 0 */
	__u8 filter[M1PMU_N_COUNTERS]; /* M1PMU_USER | M1PMU_KERNEL; not 0 if enabled */
	__u8 reserved[2];
};

#define M1PMU_CHANGED 0x1 /* PMCR0 was modified by other software: the counts are invalid */

/*
 * M1PMU_READ: read all counters of the calling CPU, between two ISBs with interrupts off.
 * ENODEV: this CPU is going offline. ECANCELED: as above.
 */
struct m1pmu_read {
	__u32 cpu;                   /* the CPU that was read */
	__u32 generation;            /* m1pmu_gen.generation of that CPU at that time */
	__u32 idle;                  /* m1pmu_gen.idle likewise */
	__u32 flags;                 /* M1PMU_CHANGED */
	__u64 time_ns;               /* CLOCK_MONOTONIC just before the first counter */
	__u64 pmc[M1PMU_N_COUNTERS]; /* raw, m1pmu_cpu.width bits */
};

/*
 * M1PMU_REGS: control registers of the calling CPU now, and as read back just after the module's
 * write. A difference means that other software wrote them or the core lost its state. ENODEV: as
 * above.
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
 * A session ends, and requests return ECANCELED until the owner releases the PMU,
 * - when a process misuses open registers, see M1PMU_EL0: counters are stopped;
 * - when the kernel's own driver is bound to the PMU, at a reboot, and before kexec starts another
 *   kernel: all registers are restored.
 *
 * M1PMU_EL0: 1 sets PMCR0[30] on every CPU, 0 clears it. EPERM: the process that opened the file
 * lacked CAP_SYS_RAWIO, and the module was loaded without el0=1. While it is set *every* process
 * can read and write PMCR0, PMCR1, PMESR0/1 and PMC0-9; the kernel log reports it. Cleared with the
 * session. A process can enable interrupts that have no handler and so stall a core: the module
 * checks every CPU each second, disables them, closes the registers and ends the session.
 *
 * M1PMU_L2C: 0: L2C events count this core (default), 1: its cluster.
 */

/* ---- memory shared with user space, read-only ---- */

/*
 * generation: + 1 whenever registers and counters were saved and restored (deep idle,
 *             hotplug), and when M1PMU_READ found PMCR0 changed. A difference across a change
 *             is invalid unless `idle` grew by as much.
 * idle:       number of these that were deep idle announced by the kernel (CPU_PM): there the
 *             counters continued exactly from their values.
 */
struct m1pmu_gen {
	__u32 generation;
	__u32 idle;
};

/* ---- Activity Monitors, any arm64 machine, module parameter amu=1 ---- */

/*
 * M1PMU_AMU_READ: activity monitors of the calling CPU; each CPU is tested separately. EOPNOTSUPP:
 * not loaded with amu=1, or this CPU's ID_AA64PFR0_EL1.AMU is 0. ENXIO: it is not 0, but reads
 * trap.
 */
struct m1pmu_amu {
	__u32 cpu;
	__u32 n_aux;   /* number of counters in aux: AMCGCR.CG1NC, at most 16 */
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
