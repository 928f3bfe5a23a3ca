#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "pmu/activity.h"
#include "pmu/apple/apple.h"
#include "pmu/apple/regs.h"

/* Result of one read. */
struct apple_reading {
	unsigned cpu;           /* CPU that was read: another one if the thread was moved */
	uint32_t losses;        /* see apple_losses */
	bool is_changed;        /* the values are not counts of what was programmed */
	enum apple_fault fault; /* reason, if the user must know it; 0 */
	uint64_t t_ns;
	uint64_t pmc[M1PMU_N_COUNTERS];
};

/*
 * Count how often a CPU's registers were lost, other than by idle, which restores the counters
 * exactly. Values with different numbers of losses are not comparable.
 */
static uint32_t apple_losses(const struct apple *apple, unsigned cpu)
{
	const struct m1pmu_gen *gen = &apple->gen[cpu];
	uint32_t generation, idle;

	/* acquire: counters that are read later are no older. Read twice, as the core may sleep
	 * between both loads. */
	do {
		generation = __atomic_load_n(&gen->generation, __ATOMIC_ACQUIRE);
		idle = __atomic_load_n(&gen->idle, __ATOMIC_ACQUIRE);
	} while (generation != __atomic_load_n(&gen->generation, __ATOMIC_ACQUIRE));
	return generation - idle;
}

static int read_module(const struct apple *apple, struct apple_reading *ret)
{
	struct m1pmu_read values;
	int rc = apple->io->request(apple->fd, M1PMU_READ, &values);

	if (rc)
		return rc;
	ret->cpu = values.cpu;
	ret->losses = values.generation - values.idle;
	ret->is_changed = values.flags & M1PMU_CHANGED;
	ret->fault = ret->is_changed ? FAULT_PMCR0 : 0;
	ret->t_ns = values.time_ns;
	memcpy(ret->pmc, values.pmc, sizeof(ret->pmc));
	return 0;
}

/* Read from EL0. The thread may be moved, and the registers lost and restored, at any time in between. */
static int read_el0(const struct apple *apple, unsigned cpu, struct apple_reading *ret)
{
	const struct apple_io *io = apple->io;
	int before = io->cpu();

	ret->losses = apple_losses(apple, cpu);
	ret->t_ns = io->now_ns();
	ret->fault = io->el0_counters(ret->pmc) ? 0 : FAULT_EL0;

	int after = io->cpu();

	ret->cpu = (unsigned)(before == (int)cpu ? after : before);
	ret->is_changed = ret->fault || apple_losses(apple, cpu) != ret->losses;
	return 0;
}

/*
 * Read the counters of the calling thread's CPU. That CPU's thread.
 *
 * @cpu     the expected CPU
 * @return  0; -ENODEV the CPU is going offline; other -errno
 */
static int apple_read(const struct apple *apple, unsigned cpu, struct apple_reading *ret)
{
	return apple->options.el0 ? read_el0(apple, cpu, ret) : read_module(apple, ret);
}

static bool controls_module(const struct apple *apple, unsigned cpu, struct m1pmu_control *ret)
{
	struct m1pmu_regs regs;

	if (apple->io->request(apple->fd, M1PMU_REGS, &regs) || regs.cpu != cpu)
		return false;
	*ret = regs.now;
	return true;
}

static bool controls_el0(const struct apple *apple, unsigned cpu, struct m1pmu_control *ret)
{
	uint64_t value[N_APPLE_CONTROLS];

	if (!apple->io->el0_controls(value) || apple->io->cpu() != (int)cpu)
		return false;
	*ret = (struct m1pmu_control){
		.pmcr0 = value[APPLE_PMCR0],
		.pmcr1 = value[APPLE_PMCR1],
		.pmesr0 = value[APPLE_PMESR0],
		.pmesr1 = value[APPLE_PMESR1],
	};
	return true;
}

/* Read back the control registers. @return false if that is impossible now */
static bool apple_controls(const struct apple *apple, unsigned cpu, struct m1pmu_control *ret)
{
	return apple->options.el0 ? controls_el0(apple, cpu, ret)
				  : controls_module(apple, cpu, ret);
}

#define CONTROLS_EVERY_NS NS_PER_S

struct group {
	struct apple *apple;
	unsigned cpu;
	unsigned n_slots;         /* 0: the PMU is left to others */
	bool holds;               /* one of the groups that hold the PMU */
	uint8_t state[SLOTS_MAX]; /* by slot, without faults */
	uint8_t counter[SLOTS_MAX];
	struct m1pmu_program program;
	struct m1pmu_control written; /* expected values of the control registers */
	uint64_t enabled_at_ns;
	uint64_t checked_at_ns;         /* time of the last read-back of the control registers */
	uint32_t losses;                /* see apple_losses */
	struct activity_core *activity; /* NULL: no such event is requested */
};

/* ---- opening: the program ---- */

static int group_refuse(const struct event *event, unsigned counter, struct err *err)
{
	char legal[64];

	return err_set(err, EINVAL, "%s cannot count on PMC%u: it is legal on %s", event->name,
		       counter, counters_text(event->counters, legal, sizeof(legal)));
}

static bool is_legal(const struct group *group, const struct event *event, unsigned counter)
{
	/* 0 is any counter; PMC0 and PMC1 take only their own events */
	if (!event->counters || (group->apple->base.is_probing && counter >= 2))
		return counter >= 2;
	return event->counters >> counter & 1;
}

static uint8_t filter_of(enum privilege privilege)
{
	switch (privilege) {
	case PRIVILEGE_USER: return M1PMU_USER;
	case PRIVILEGE_KERNEL: return M1PMU_KERNEL;
	default: return M1PMU_USER | M1PMU_KERNEL;
	}
}

static int plan_slot(struct group *group, const struct placement *place, unsigned slot,
		     const struct pmu *pmu, struct err *err)
{
	const struct event *event = place->event[slot];
	unsigned counter = place->counter[slot];

	if (!event)
		return 0;
	group->state[slot] = RAW_UNSUPPORTED;
	if (event->refused[0] || event->pmu != pmu)
		return 0;
	if (counter >= M1PMU_N_COUNTERS || !is_legal(group, event, counter))
		return group_refuse(event, counter, err);
	if (group->program.enable >> counter & 1)
		return err_set(err, ENOSPC, "%s: PMC%u is taken by another event of the set",
			       event->name, counter);
	group->state[slot] = RAW_OK;
	group->counter[slot] = (uint8_t)counter;
	group->program.enable |= 1U << counter;
	group->program.filter[counter] = filter_of(event->privilege);
	if (counter < 2)
		return 0;
	group->program.event[counter] = (uint16_t)event->config[0];
	/* the module rejects ids outside its lists unless forced */
	if (!event->known || event->is_forced || group->apple->base.is_probing)
		group->program.flags = M1PMU_FORCE;
	return 0;
}

static int plan_program(struct group *group, const struct set *set, const struct machine *machine,
			unsigned type, struct err *err)
{
	int rc = 0;

	group->n_slots = set->n_slots;
	group->program.cpu = group->cpu;
	for (unsigned slot = 0; slot < set->n_slots && !rc; slot++)
		rc = plan_slot(group, &set->type[type], slot, machine->type[type].pmu, err);
	return rc;
}

/* Check the CPU. The module has no masks for the newest chips: there only the catalogue decides. */
static int ask_cpu(struct group *group, struct err *err)
{
	struct m1pmu_cpu cpu = { .cpu = group->cpu };
	int rc = group->apple->io->request(group->apple->fd, M1PMU_CPU, &cpu);

	if (rc)
		return err_set(err, -rc, "m1pmu does not describe CPU %u: %s", group->cpu,
			       strerror(-rc));
	if (!(cpu.flags & M1PMU_CPU_ONLINE))
		return err_set(err, ENODEV, "CPU %u is offline", group->cpu);
	if (!(cpu.flags & M1PMU_CPU_MASKS))
		group->program.flags = M1PMU_FORCE;
	return 0;
}

static int hold(struct group *group, struct err *err)
{
	int rc = apple_acquire(group->apple, err);

	group->holds = !rc;
	group->apple->n_counting += !rc;
	return rc;
}

int apple_group_open(struct backend *backend, unsigned core, const struct set *set,
		     struct group **ret, struct err *err)
{
	const struct core *on = &backend->machine.core[core];
	const struct activity_slots slots = placement_activity(&set->type[on->type]);
	struct group *group = calloc(1, sizeof(*group));

	if (!group)
		return err_set(err, ENOMEM, "out of memory");
	group->apple = (struct apple *)backend;
	group->cpu = on->cpu;

	int rc = plan_program(group, set, &backend->machine, on->type, err);

	if (!rc && group->n_slots)
		rc = hold(group, err);
	if (!rc)
		rc = ask_cpu(group, err);
	if (!rc)
		rc = activity_core_open(&backend->machine, core, &slots, &group->activity, err);
	if (rc) {
		apple_group_close(group);
		return rc;
	}
	*ret = group;
	return 0;
}

/* Close a group without touching registers, unless it is the last one: the core may already count
 * another one. */
void apple_group_close(struct group *group)
{
	if (!group)
		return;
	if (group->holds && !--group->apple->n_counting)
		apple_release(group->apple);
	activity_core_close(group->activity);
	free(group);
}

/* ---- counting ---- */

static int request(const struct group *group, unsigned long number, void *arg)
{
	return group->apple->io->request(group->apple->fd, number, arg);
}

static int apple_program(struct group *group)
{
	struct m1pmu_program copy = group->program;
	struct m1pmu_regs regs = { 0 };
	int rc = request(group, M1PMU_PROGRAM, &copy);

	if (rc == -ECANCELED)
		apple_report_fault(group->apple, FAULT_ENDED, group->cpu);
	if (rc == -EINVAL || rc == -ERANGE)
		apple_report_fault(group->apple, FAULT_REFUSED, group->cpu);
	if (!rc)
		rc = request(group, M1PMU_REGS, &regs);
	if (!rc && regs.cpu != group->cpu) /* moved away: the core is going offline */
		rc = -ENODEV;
	if (!rc)
		group->written = regs.written;
	return rc;
}

int apple_group_enable(struct group *group)
{
	int rc = group->n_slots ? apple_program(group) : 0;

	activity_core_enable(group->activity);
	group->losses = apple_losses(group->apple, group->cpu);
	group->enabled_at_ns = group->checked_at_ns = group->apple->io->now_ns();
	return rc;
}

int apple_group_disable(struct group *group)
{
	struct m1pmu_program stop = { .cpu = group->cpu };

	activity_core_disable(group->activity);
	if (!group->n_slots)
		return 0;
	return request(group, M1PMU_PROGRAM, &stop);
}

/* ---- reading ---- */

/* @return the first register that differs from the written value; 0: none, or unreadable */
static int foreign_write(const struct group *group)
{
	const struct m1pmu_control *was = &group->written;
	struct m1pmu_control now;

	if (!apple_controls(group->apple, group->cpu, &now))
		return 0;
	/* the module acknowledges an active interrupt, but EL0 reads may see it earlier */
	if ((now.pmcr0 ^ was->pmcr0) & ~APPLE_PMCR0_ACTIVE)
		return FAULT_PMCR0;
	if (now.pmcr1 != was->pmcr1)
		return FAULT_PMCR1;
	if (now.pmesr0 != was->pmesr0)
		return FAULT_PMESR0;
	return now.pmesr1 != was->pmesr1 ? FAULT_PMESR1 : 0;
}

static bool controls_hold(struct group *group, uint64_t now_ns)
{
	if (now_ns - group->checked_at_ns < CONTROLS_EVERY_NS)
		return true;
	group->checked_at_ns = now_ns;

	int what = foreign_write(group);

	if (what)
		apple_report_fault(group->apple, (enum apple_fault)what, group->cpu);
	return !what;
}

static bool is_intact(struct group *group, const struct apple_reading *now)
{
	if (now->fault)
		apple_report_fault(group->apple, now->fault, group->cpu);
	return !now->is_changed && now->losses == group->losses && controls_hold(group, now->t_ns);
}

/* Program the core again and read the counters' new start values. */
static bool restart(struct group *group, struct apple_reading *ret)
{
	if (apple_program(group) || apple_read(group->apple, group->cpu, ret) ||
	    ret->cpu != group->cpu || ret->is_changed)
		return false;
	group->losses = ret->losses;
	return true;
}

/* Read and rate the values. @return 0; -ENODEV the core has gone */
static int group_judge(struct group *group, struct apple_reading *now, enum raw_state *ret)
{
	int rc = apple_read(group->apple, group->cpu, now);

	if (rc == -ENODEV)
		return rc;
	if (rc || now->cpu != group->cpu) /* on another CPU nothing may be changed */
		*ret = RAW_LOST;
	else if (is_intact(group, now))
		*ret = RAW_OK;
	else
		*ret = restart(group, now) ? RAW_RESTARTED : RAW_LOST;
	return 0;
}

static struct raw apple_group_raw_of(const struct group *group, const struct apple_reading *now,
				     unsigned slot)
{
	/* an enabled counter always runs, as the PMU is not shared */
	return (struct raw){
		.value = now->pmc[group->counter[slot]],
		.enabled_ns = now->t_ns - group->enabled_at_ns,
		.running_ns = now->t_ns - group->enabled_at_ns,
	};
}

int apple_group_read(struct group *group, struct sample *ret)
{
	struct apple_reading now = { 0 };
	enum raw_state state;

	if (!group->n_slots) {
		ret->n_slots = 0;
		return 0;
	}

	int rc = group_judge(group, &now, &state);

	if (rc)
		return rc;
	if (state != RAW_LOST)
		ret->t_ns = now.t_ns;
	ret->n_slots = (uint8_t)group->n_slots;
	for (unsigned slot = 0; slot < group->n_slots; slot++) {
		bool counts = group->state[slot] == RAW_OK;

		ret->state[slot] = counts ? (uint8_t)state : group->state[slot];
		ret->raw[slot] = counts && state != RAW_LOST ? apple_group_raw_of(group, &now, slot)
							     : (struct raw){ 0 };
	}
	activity_core_read(group->activity, ret->t_ns - group->enabled_at_ns, ret);
	return 0;
}
