/* SPDX-License-Identifier: GPL-2.0-only */
/* emu.h: an Apple M1's PMU registers, played on exceptions: what the parts of the module share */
#ifndef APPLE_PMU_EMU_H
#define APPLE_PMU_EMU_H

#include <linux/bits.h>
#include <linux/hrtimer.h>
#include <linux/percpu.h>
#include <linux/types.h>

#define EMU_N_COUNTERS   10
#define EMU_N_EVENTS     256
#define EMU_N_AMU        4 /* fixed activity monitors */
#define EMU_N_AUX        3 /* auxiliary ones */
#define EMU_AUX_TYPE     0x300 /* event number of the first */
#define EMU_COUNTER_MASK GENMASK_ULL(47, 0)

/* Registers other than the counters: plain storage. */
enum emu_reg {
	EMU_PMCR0,
	EMU_PMCR1,
	EMU_PMCR2,
	EMU_PMCR3,
	EMU_PMCR4,
	EMU_PMESR0,
	EMU_PMESR1,
	EMU_N_REGS
};

extern const char *const emu_reg_names[EMU_N_REGS];

/* What one core has. Touched by that core alone, with interrupts off. */
struct emu_core {
	u64 regs[EMU_N_REGS];
	u64 counters[EMU_N_COUNTERS];
	u64 amu[EMU_N_AMU];
	u64 aux[EMU_N_AUX];
	u32 fractions[EMU_N_COUNTERS];  /* of a count, in thousandths */
	u64 el0_ns, el1_ns;             /* counted so far */
	u64 base_wall_ns, base_idle_ns; /* where el1_ns began */
	u64 n_el0, n_el1, n_interrupts; /* accesses emulated, PMIs raised */
	unsigned long fresh_irqs; /* interrupts taken when the counters were brought up to date */
	u16 fresh;                /* counters not read since then */
	bool is_e_core, is_up;
	bool has_amu, amu_traps; /* it says that it has activity monitors; but they trap */
	struct hrtimer timer;
};

DECLARE_PER_CPU(struct emu_core, emu_cores);

/* core.c: counting. The caller has interrupts off and is on the core. */
extern u32 emu_rates[2][EMU_N_EVENTS]; /* counts a microsecond; [1]: E cores */
extern u16 emu_masks[EMU_N_EVENTS];      /* counters that count it; on others it is silent */
extern bool emu_is_frozen;
extern unsigned int emu_pmi_irqs[2]; /* [1]: E cores; 0: none */
extern bool emu_amu_is_on; /* firmware has enabled the activity monitors */

/** Set the rates that every boot begins with. */
void emu_rates_init(void);

/** Let every counter count every event. */
void emu_masks_init(void);

/** A core that was just switched on: every register is lost. */
void emu_core_reset(struct emu_core *core);

/** Count the time that went by since the last call. */
void emu_core_count(struct emu_core *core);

/** Count an event at EL0 so often more. */
void emu_core_add(struct emu_core *core, u8 event, u64 more);

/** Counters whose overflow bit is set, as PMSR shows them. */
u64 emu_core_overflows(const struct emu_core *core);

/** Raise the PMI if one is due, and have the timer look again in time for the next. */
void emu_core_check(struct emu_core *core);

enum hrtimer_restart emu_core_timer(struct hrtimer *timer);

/* main.c */

/** A symbol of the kernel's that is not for modules, or NULL. */
void *emu_symbol(const char *name);

/* access.c: one MRS or MSR */
struct pt_regs;

/** Play one instruction; returns 0 when done, 1 when it is to stay undefined. */
int emu_access(struct pt_regs *regs, u32 insn);

/* hook.c: how undefined instructions come here */
int emu_hook_in(void);
bool emu_hook_is_busy(void); /* on this CPU an undefined instruction would not be emulated now */
void emu_hook_out(void);

/* probe.c: how m1pmu learns that the registers answer */
int emu_probe_in(void);
void emu_probe_out(void);

/** Let security_perf_event_open() refuse, or ask it again. */
int emu_lsm_set(bool refuses);

/* log.c: every MSR, for assertions */
int emu_log_init(void);
void emu_log_exit(void);
void emu_log_clear(void);
void emu_log_add(u32 encoding, bool is_write, u64 value, int el, bool is_refused);
extern bool emu_log_has_reads;
struct seq_file;
int emu_log_show(struct seq_file *file, void *unused);

/* control.c: debugfs */
void emu_control_init(void);
void emu_control_exit(void);

#endif
