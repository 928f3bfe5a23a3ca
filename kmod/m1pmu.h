/* SPDX-License-Identifier: GPL-2.0 */
/* m1pmu.h: declarations shared by the module's files */
#ifndef M1PMU_H
#define M1PMU_H

#include <linux/percpu.h>
#include <linux/types.h>

#include "m1pmu_abi.h"

/*
 * Log a line about the calling process. It chooses its name itself and terminals show the log: odd
 * bytes are escaped.
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

/* ---- chips.c: differences between chips ---- */

struct m1pmu_mask {
	u16 event;
	u16 counters; /* bit n: PMCn can count the event */
};

struct m1pmu_chip {
	u8 first_part; /* range of MIDR_EL1 part numbers; even: E, odd: P */
	u8 last_part;
	u8 width;
	u8 event_bits;
	char family[12];
	const struct m1pmu_mask *masks; /* by event; NULL: unknown */
	unsigned int n_masks;
};

/* Find the chip of a MIDR_EL1. NULL: not an Apple core, or an unknown one. */
const struct m1pmu_chip *m1pmu_chip_of(u64 midr);

/* Get the counters that can count an event: bit n is PMCn; 0: not an event of this chip. */
u16 m1pmu_counters_of(const struct m1pmu_chip *chip, u16 event);

/* ---- probe.c, vectors.S: test whether register reads trap ---- */

/* Get the name of the first register that traps on this CPU; NULL: none. */
const char *m1pmu_first_trap(void);
const char *m1pmu_first_amu_trap(void);

unsigned int m1pmu_n_readable(void);
unsigned int m1pmu_n_amu_readable(void);

/* ---- core.c: the registers of one CPU ---- */

/* State of one CPU. Accessed on that CPU with interrupts off, or by code that keeps an offline CPU offline. */
struct m1pmu_core {
	const struct file *owner;
	bool on;         /* online; false while it goes or comes */
	bool has_found;  /* `found` holds the state from before the owner */
	bool has_counts; /* `pmc` holds the owner's counts */
	bool changed;    /* other software had written the registers when they were parked */
	struct m1pmu_control found;
	u64 found_pmc[M1PMU_N_COUNTERS];
	struct m1pmu_control wanted;  /* only fields that the module sets */
	struct m1pmu_control written; /* values read back after the last write */
	u64 pmc[M1PMU_N_COUNTERS];    /* owner's counts while the CPU sleeps or is offline */
	u64 midr;
};

DECLARE_PER_CPU(struct m1pmu_core, m1pmu_cores);

/* Bits of PMCR0 on all cores besides the counter enables: EL0 access, cluster-wide L2C. */
extern u64 m1pmu_mode;

/* Whether user space may read and write the PMU now. */
bool m1pmu_is_open(void);

/* Generations by CPU number, read-only for user space. */
extern struct m1pmu_gen *m1pmu_gens;

/* Compile a program to control registers; its events fit the chip. */
struct m1pmu_control m1pmu_compile(const struct m1pmu_chip *chip, const struct m1pmu_program *p);

/* Set the owner and forget all of the last one. On its own CPU, or while that is kept offline. */
void m1pmu_core_set_owner(struct m1pmu_core *core, const struct file *owner);

/* These run on the core's own CPU with interrupts off. */
void m1pmu_core_take(struct m1pmu_core *core, const struct file *owner);
void m1pmu_core_give(struct m1pmu_core *core);
void m1pmu_core_apply(struct m1pmu_core *core);
void m1pmu_core_park(struct m1pmu_core *core);
void m1pmu_core_idle_failed(struct m1pmu_core *core);
void m1pmu_core_unpark(struct m1pmu_core *core, bool was_idle);
void m1pmu_core_read(struct m1pmu_core *core, struct m1pmu_read *ret);
void m1pmu_core_regs(struct m1pmu_core *core, struct m1pmu_regs *ret);
u64 m1pmu_core_check(struct m1pmu_core *core);
void m1pmu_core_leave(struct m1pmu_core *core);
void m1pmu_core_return(struct m1pmu_core *core);

/* ---- session.c: owner of the PMU and its requests ---- */

extern const struct m1pmu_chip *m1pmu_chip; /* NULL: no known PMU */
extern u32 m1pmu_l2c_bit;

/* Check a CPU number from user space and make it a safe index. 0 if possible, else -EINVAL. */
int m1pmu_check_cpu(u32 *cpu);

/* Note that a process used the open registers to stall a core. Any context. */
extern bool m1pmu_is_misused;
void m1pmu_note_misuse(u64 pmcr0);

void m1pmu_session_exit(void);

/* Restore all registers, whoever owns them; the owner gets ECANCELED. `for_good`: refuse new owners. */
void m1pmu_session_end(const char *why, bool for_good);

void m1pmu_session_info(const struct file *file, struct m1pmu_info *ret);
int m1pmu_acquire(const struct file *file);
int m1pmu_release(const struct file *file);
int m1pmu_program(const struct file *file, struct m1pmu_program *p);

/* Read the calling CPU's counters, or its registers, which a misuse does not prevent. NULL: not those. */
int m1pmu_read(const struct file *file, struct m1pmu_read *ret_read, struct m1pmu_regs *ret_regs);

int m1pmu_set_el0(const struct file *file, u32 on);
int m1pmu_set_l2c(const struct file *file, u32 cluster);

/* ---- power.c: hotplug, deep idle, reboot and kexec ---- */

int m1pmu_power_init(void);
void m1pmu_power_exit(void);

/* ---- guard.c: interrupts enabled by user space ---- */

void m1pmu_guard_init(void);

/* Start the timer on this CPU. It stops by itself when the registers are closed. */
void m1pmu_guard_start(void);

/* Stop a CPU's timer. Not with interrupts off. */
void m1pmu_guard_stop(int cpu);

/* ---- driver.c: the kernel's own driver of this PMU ---- */

/* Whether the driver is bound to a PMU. `log`: write that and the remedy to the kernel log. */
bool m1pmu_driver_bound(bool log);

/* End the session if the driver is bound later. */
int m1pmu_driver_watch(void);
void m1pmu_driver_unwatch(void);

/* ---- amu.c: activity monitors ---- */

extern bool m1pmu_amu; /* module parameter; false: no AMU register is accessed */

/* Whether this CPU's ID register reports activity monitors. */
bool m1pmu_amu_is_here(void);

/* Test whether this CPU's can be read. On that CPU, interrupts off, when it comes online. */
void m1pmu_amu_find(void);

/* Whether they can be read, on a CPU that has been online. */
bool m1pmu_amu_is_on(u32 cpu);

/* Read those of the calling CPU. 0; -EOPNOTSUPP: it has none; -ENXIO: reads trap. */
int m1pmu_amu_read(struct m1pmu_amu *ret);

#endif
