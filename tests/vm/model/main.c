// SPDX-License-Identifier: GPL-2.0-only
/*
 * pmu_model: TEST ONLY. PMUs of x86 and Arm servers on a machine that has none: names, formats, counters, and what
 * cannot be counted together are as in the kernel's drivers; counts follow from rates.
 *
 * profile=NAME chooses the machine (profiles.c). 1 in /sys/kernel/debug/pmu_model/watchdog pins cycles on each CPU, as
 * the NMI watchdog does; 0 no longer.
 */
#include <linux/debugfs.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/uaccess.h>
#include <linux/version.h>

#include "model.h"

struct on_cpu {
	struct perf_event *event[EVENTS_MAX];
	int n;
	u64 us; /* the clock, as all that is read or stopped together sees it */
	bool is_reading;
};

static char *profile = "intel";
module_param(profile, charp, 0444);

static DEFINE_PER_CPU(struct on_cpu, on_cpus);
static DEFINE_PER_CPU(struct perf_event *, watchdog);

/* ---- the clock ---- */

static void look_at_clock(void)
{
	this_cpu_ptr(&on_cpus)->us = ktime_get_ns() / NSEC_PER_USEC;
}

static u64 per_us(struct perf_event *event)
{
	return rate_of(unit_of(event)->model->rate, event->hw.config, event->attr.config1);
}

static void catch_up(struct perf_event *event)
{
	u64 us = this_cpu_ptr(&on_cpus)->us;

	local64_add((us - local64_xchg(&event->hw.prev_count, us)) * per_us(event), &event->count);
}

/* ---- struct pmu ---- */

static int model_config(struct perf_event *event)
{
	const struct model *model = unit_of(event)->model;

	if (event->attr.type == PERF_TYPE_HARDWARE && !model->is_uncore) {
		if (event->attr.config >= PERF_COUNT_HW_MAX || !model->generic[event->attr.config])
			return -ENOENT;
		event->hw.config = model->generic[event->attr.config];
		return 0;
	}
	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	event->hw.config = event->attr.config;
	return 0;
}

/* arch/x86/events/intel/uncore.c, uncore_pmu_event_init() */
static int check_uncore(struct perf_event *event)
{
	if (event->cpu < 0 || is_sampling_event(event) || event->attach_state & PERF_ATTACH_TASK)
		return -EINVAL;
	return event->attr.exclude_user || event->attr.exclude_kernel ? -EINVAL : 0;
}

static int model_init(struct perf_event *event)
{
	struct unit *unit = unit_of(event);
	int err = model_config(event);

	if (err)
		return err;
	if (unit->model->is_uncore)
		err = check_uncore(event);
	else if (event->cpu >= 0 && !cpumask_test_cpu(event->cpu, &unit->cpus))
		err = -ENOENT;
	return err ? err : model_check_group(event);
}

static void model_read(struct perf_event *event)
{
	if (event->hw.state & PERF_HES_STOPPED)
		return;
	if (!this_cpu_ptr(&on_cpus)->is_reading)
		look_at_clock();
	catch_up(event);
}

static void model_start(struct perf_event *event, int flags)
{
	local64_set(&event->hw.prev_count, this_cpu_ptr(&on_cpus)->us);
	event->hw.state = 0;
}

static void model_stop(struct perf_event *event, int flags)
{
	if (!(event->hw.state & PERF_HES_STOPPED))
		catch_up(event);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int model_add(struct perf_event *event, int flags)
{
	struct on_cpu *here = this_cpu_ptr(&on_cpus);
	struct perf_event *same[EVENTS_MAX + 1];
	int n = 0, i;

	for (i = 0; i < here->n; i++)
		if (here->event[i]->pmu == event->pmu)
			same[n++] = here->event[i];
	same[n++] = event;
	if (here->n == EVENTS_MAX || !model_fit(same, n))
		return -EAGAIN;
	here->event[here->n++] = event;
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START)
		model_start(event, 0);
	return 0;
}

static void model_del(struct perf_event *event, int flags)
{
	struct on_cpu *here = this_cpu_ptr(&on_cpus);
	int i;

	model_stop(event, flags);
	for (i = 0; i < here->n; i++)
		if (here->event[i] == event)
			here->event[i] = here->event[--here->n];
}

/* What is started, stopped or read together is so at one moment. */
static void model_disable(struct pmu *pmu)
{
	look_at_clock();
}

static void model_enable(struct pmu *pmu)
{
}

static void model_begin(struct pmu *pmu, unsigned int flags)
{
	if (flags & PERF_PMU_TXN_READ)
		look_at_clock();
	this_cpu_ptr(&on_cpus)->is_reading = true;
}

static void model_cancel(struct pmu *pmu)
{
	this_cpu_ptr(&on_cpus)->is_reading = false;
}

static int model_commit(struct pmu *pmu)
{
	model_cancel(pmu);
	return 0;
}

/* @return whether it cannot be counted there */
static bool __maybe_unused model_filter(struct pmu *pmu, int cpu)
{
	return !cpumask_test_cpu(cpu, &container_of(pmu, struct unit, pmu)->cpus);
}

static void find_cpus(struct unit *unit)
{
	int cpu;

	if (unit->model->cpus)
		cpulist_parse(unit->model->cpus, &unit->cpus);
	else if (!unit->model->is_uncore)
		cpumask_copy(&unit->cpus, cpu_possible_mask);
	else
		for_each_online_cpu(cpu)
			if (cpumask_first(topology_core_cpumask(cpu)) == cpu)
				cpumask_set_cpu(cpu, &unit->cpus);
}

static int add_unit(const struct model *model)
{
	struct unit *unit = kzalloc(sizeof(*unit), GFP_KERNEL);

	if (!unit)
		return -ENOMEM;
	unit->model = model;
	find_cpus(unit);
	if (model_make_sysfs(unit))
		return -ENOMEM;
	unit->pmu = (struct pmu){
		.module = THIS_MODULE,
		.task_ctx_nr = model->is_uncore ? perf_invalid_context : perf_hw_context,
		.capabilities = (model->is_uncore ? PERF_PMU_CAP_NO_EXCLUDE : PERF_PMU_CAP_EXTENDED_HW_TYPE) |
				PERF_PMU_CAP_NO_INTERRUPT,
		.event_init = model_init,
		.add = model_add,
		.del = model_del,
		.start = model_start,
		.stop = model_stop,
		.read = model_read,
		.pmu_disable = model_disable,
		.pmu_enable = model_enable,
		.start_txn = model_begin,
		.commit_txn = model_commit,
		.cancel_txn = model_cancel,
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0) /* older kernels have no hybrid processor here */
		.filter = model->cpus ? model_filter : NULL,
#endif
		.attr_groups = unit->group_list,
	};
	return perf_pmu_register(&unit->pmu, model->name, model->type);
}

/* ---- the watchdog ---- */

/* kernel/watchdog_perf.c, hardlockup_detector_event_create() */
static int watchdog_set(void *data, u64 on)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES,
					.size = sizeof(attr), .pinned = 1 };
	int cpu;

	for_each_online_cpu(cpu) {
		struct perf_event **event = &per_cpu(watchdog, cpu);

		if (!IS_ERR_OR_NULL(*event))
			perf_event_release_kernel(*event);
		*event = on ? perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL) : NULL;
		if (IS_ERR(*event))
			return PTR_ERR(*event);
	}
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(watchdog_fops, NULL, watchdog_set, "%llu\n");

static int __init model_load(void)
{
	const struct profile *chosen = model_profiles;
	struct dentry *folder;
	int err = 0;

	while (chosen->name && strcmp(profile, chosen->name))
		chosen++;
	if (!chosen->name)
		return -EINVAL;
	for (const struct model *model = chosen->model; model->name && !err; model++)
		err = add_unit(model);
	folder = debugfs_create_dir("pmu_model", NULL);
	debugfs_create_file("watchdog", 0200, folder, NULL, &watchdog_fops);
	return err;
}
module_init(model_load);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("test only: PMUs of x86 and Arm servers");
