#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "activity/activity.h"
#include "backend/apple/apple.h"
#include "backend/apple/read.h"
#include "backend/apple/regs.h"

#define CONTROLS_EVERY_NS NS_PER_S

struct group {
	struct apple *apple;
	unsigned cpu;
	unsigned n_slots;         /* 0: the PMU is left to others */
	bool holds;               /* it is one of those for which the PMU is held */
	uint8_t state[SLOTS_MAX]; /* of a slot while all is well */
	uint8_t counter[SLOTS_MAX];
	struct m1pmu_program program;
	struct m1pmu_control written; /* what the control registers must hold */
	uint64_t enabled_at_ns;
	uint64_t checked_at_ns;         /* when the control registers were last read back */
	uint32_t losses;                /* see apple_losses */
	struct activity_core *activity; /* NULL: nothing of it is asked for */
};

/* ---- opening: what to program ---- */

static int refuse(const struct event *event, unsigned counter, struct err *err)
{
	char legal[64];

	return err_set(err, EINVAL, "%s cannot count on PMC%u: it is legal on %s", event->name,
		       counter, counters_text(event->counters, legal, sizeof(legal)));
}

static bool is_legal(const struct group *group, const struct event *event, unsigned counter)
{
	/* 0 is any counter; PMC0 and PMC1 take only what is known to be theirs */
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
		return refuse(event, counter, err);
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
	/* by an id that no list has: the module has it in none either */
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

/* The module knows no masks for the newest chips: there the catalogue alone decides. */
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

/* Touches no register while others are open: the core may be counting another group by now. */
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

static int program(struct group *group)
{
	struct m1pmu_program copy = group->program;
	struct m1pmu_regs regs = { 0 };
	int rc = request(group, M1PMU_PROGRAM, &copy);

	if (rc == -ECANCELED)
		apple_tell_fault(group->apple, FAULT_ENDED, group->cpu);
	if (rc == -EINVAL || rc == -ERANGE)
		apple_tell_fault(group->apple, FAULT_REFUSED, group->cpu);
	if (!rc)
		rc = request(group, M1PMU_REGS, &regs);
	if (!rc && regs.cpu != group->cpu) /* moved away: the core is going off */
		rc = -ENODEV;
	if (!rc)
		group->written = regs.written;
	return rc;
}

int apple_group_enable(struct group *group)
{
	int rc = group->n_slots ? program(group) : 0;

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

/* @return the first register that is not as it was written; 0: none, or they cannot be read */
static int foreign_write(const struct group *group)
{
	const struct m1pmu_control *was = &group->written;
	struct m1pmu_control now;

	if (!apple_controls(group->apple, group->cpu, &now))
		return 0;
	/* the module acknowledges an interrupt that is said to be active; EL0 access sees it before */
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
		apple_tell_fault(group->apple, (enum apple_fault)what, group->cpu);
	return !what;
}

static bool is_intact(struct group *group, const struct apple_reading *now)
{
	if (now->fault)
		apple_tell_fault(group->apple, now->fault, group->cpu);
	return !now->is_changed && now->losses == group->losses && controls_hold(group, now->t_ns);
}

/* Program the core again and read where its counters begin. */
static bool restart(struct group *group, struct apple_reading *ret)
{
	if (program(group) || apple_read(group->apple, group->cpu, ret) || ret->cpu != group->cpu ||
	    ret->is_changed)
		return false;
	group->losses = ret->losses;
	return true;
}

/* -ENODEV the core has gone; else 0 and what the values are worth */
static int judge(struct group *group, struct apple_reading *now, enum raw_state *ret)
{
	int rc = apple_read(group->apple, group->cpu, now);

	if (rc == -ENODEV)
		return rc;
	if (rc || now->cpu != group->cpu) /* on another CPU, nothing may be touched */
		*ret = RAW_LOST;
	else if (is_intact(group, now))
		*ret = RAW_OK;
	else
		*ret = restart(group, now) ? RAW_RESTARTED : RAW_LOST;
	return 0;
}

static struct raw raw_of(const struct group *group, const struct apple_reading *now, unsigned slot)
{
	/* a counter that is enabled always runs: there is nobody to share it with */
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

	int rc = judge(group, &now, &state);

	if (rc)
		return rc;
	if (state != RAW_LOST)
		ret->t_ns = now.t_ns;
	ret->n_slots = (uint8_t)group->n_slots;
	for (unsigned slot = 0; slot < group->n_slots; slot++) {
		bool counts = group->state[slot] == RAW_OK;

		ret->state[slot] = counts ? (uint8_t)state : group->state[slot];
		ret->raw[slot] =
			counts && state != RAW_LOST ? raw_of(group, &now, slot) : (struct raw){ 0 };
	}
	activity_core_read(group->activity, ret->t_ns - group->enabled_at_ns, ret);
	return 0;
}
