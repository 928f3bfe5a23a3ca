/* SPDX-License-Identifier: GPL-2.0 */
/* m1pmu.h: what the module's files know of each other */
#ifndef M1PMU_H
#define M1PMU_H

#include <linux/percpu.h>
#include <linux/types.h>

#include "m1pmu_abi.h"

/*
 * One line in the kernel log about the process that is being served. It chooses its name itself,
 * and terminals show that log: odd bytes are escaped.
 */
#define m1pmu_note_caller(what)                                                         \
	do {                                                                            \
		char comm[TASK_COMM_LEN];                                               \
											\
		get_task_comm(comm, current);                                           \
		pr_notice_ratelimited("%*pE (process %d) " what "\n", (int)strlen(comm), \
				      comm, task_tgid_nr(current));                     \
	} while (0)

struct file;

/* ---- chips.c: what differs from chip to chip ---- */

struct m1pmu_mask {
	u16 event;
	u16 counters; /* bit n: PMCn can count it */
};

struct m1pmu_chip {
	u8 first_part; /* MIDR_EL1 part numbers of its cores; even: E, odd: P */
	u8 last_part;
	u8 width;
	u8 event_bits;
	char family[12];
	const struct m1pmu_mask *masks; /* by event; NULL: not known */
	unsigned int n_masks;
};

/* NULL: not an Apple core, or one that is not known. */
const struct m1pmu_chip *m1pmu_chip_of(u64 midr);

/* Counters that can count it: bit n is PMCn; 0: not an event of this chip. */
u16 m1pmu_counters_of(const struct m1pmu_chip *chip, u16 event);

/* ---- probe.c, vectors.S: do the registers answer? ---- */

/* The first that traps on this CPU; NULL: none. */
const char *m1pmu_first_trap(void);
const char *m1pmu_first_amu_trap(void);

unsigned int m1pmu_n_readable(void);
unsigned int m1pmu_n_amu_readable(void);

/* ---- core.c: the registers of one CPU ---- */

/* Touched on its own CPU with interrupts off, or by anybody who keeps an offline CPU offline. */
struct m1pmu_core {
	const struct file *owner;
	bool on;         /* online, or nearly: not going, gone or coming */
	bool has_found;  /* `found` holds what was there before the owner came */
	bool has_counts; /* `pmc` holds the owner's counts */
	bool changed;    /* somebody else had written the registers when they were parked */
	struct m1pmu_control found;
	u64 found_pmc[M1PMU_N_COUNTERS];
	struct m1pmu_control wanted;  /* fields of ours only */
	struct m1pmu_control written; /* as they read after the last write */
	u64 pmc[M1PMU_N_COUNTERS];    /* the owner's counts while the CPU sleeps or is off */
	u64 midr;
};

DECLARE_PER_CPU(struct m1pmu_core, m1pmu_cores);

/* Bits that every core's PMCR0 has besides the enabled counters: EL0 access, cluster-wide L2C. */
extern u64 m1pmu_mode;

/* User space may read and write the PMU now. */
bool m1pmu_is_open(void);

/* Read-only for user space, by CPU number. */
extern struct m1pmu_gen *m1pmu_gens;

/* Fields of the control registers for what was asked; its events fit the chip. */
struct m1pmu_control m1pmu_compile(const struct m1pmu_chip *chip, const struct m1pmu_program *p);

/* Forget whatever the last owner had. On its own CPU, or while it is kept offline. */
void m1pmu_core_set_owner(struct m1pmu_core *core, const struct file *owner);

/* The following on their own CPU with interrupts off. */
void m1pmu_core_take(struct m1pmu_core *core, const struct file *owner);
void m1pmu_core_give(struct m1pmu_core *core);
void m1pmu_core_apply(struct m1pmu_core *core);
void m1pmu_core_park(struct m1pmu_core *core);
void m1pmu_core_stay(struct m1pmu_core *core);
void m1pmu_core_unpark(struct m1pmu_core *core, bool was_idle);
void m1pmu_core_read(struct m1pmu_core *core, struct m1pmu_read *ret);
void m1pmu_core_regs(struct m1pmu_core *core, struct m1pmu_regs *ret);
u64 m1pmu_core_check(struct m1pmu_core *core);
void m1pmu_core_leave(struct m1pmu_core *core);
void m1pmu_core_return(struct m1pmu_core *core);

/* ---- session.c: who owns the PMU, and what he may do with it ---- */

extern const struct m1pmu_chip *m1pmu_chip; /* NULL: no PMU that is known */
extern u32 m1pmu_l2c_bit;

/* A CPU number of user space's: 0 when it is a possible one, and fit to be an index; -EINVAL. */
int m1pmu_check_cpu(u32 *cpu);

/* A process has used the open registers for what stops a core. Any context. */
extern bool m1pmu_is_misused;
void m1pmu_note_misuse(u64 pmcr0);

void m1pmu_session_exit(void);

void m1pmu_session_info(const struct file *file, struct m1pmu_info *ret);
int m1pmu_acquire(const struct file *file);
int m1pmu_release(const struct file *file);
int m1pmu_program(const struct file *file, struct m1pmu_program *p);
int m1pmu_read(const struct file *file, struct m1pmu_read *ret);
int m1pmu_regs(const struct file *file, struct m1pmu_regs *ret);
int m1pmu_set_el0(const struct file *file, u32 on);
int m1pmu_set_l2c(const struct file *file, u32 cluster);

/* ---- power.c: CPUs that go off and come back, sleep and wake ---- */

int m1pmu_power_init(void);
void m1pmu_power_exit(void);

/* ---- guard.c: interrupts that user space enables ---- */

void m1pmu_guard_init(void);

/* On its own CPU. It ends by itself when the registers are closed. */
void m1pmu_guard_start(void);

/* Not with interrupts off. */
void m1pmu_guard_stop(int cpu);

/* ---- driver.c: the kernel's own driver of this PMU ---- */

/* Is it bound to a PMU? Says so in the kernel log, with the way out, if `log`. */
bool m1pmu_driver_bound(bool log);

/* ---- amu.c: activity monitors ---- */

extern bool m1pmu_amu; /* they are wanted; else no register of theirs is touched */

/* Does this CPU say that it has them? */
bool m1pmu_amu_is_here(void);

/* Find out whether this CPU's can be read. On it, with interrupts off, when it comes online. */
void m1pmu_amu_find(void);

/* Can they, on a CPU that has been online? */
bool m1pmu_amu_is_on(u32 cpu);

/* Of the calling CPU. 0; -EOPNOTSUPP: it has none; -ENXIO: reading them traps. */
int m1pmu_amu_read(struct m1pmu_amu *ret);

#endif
