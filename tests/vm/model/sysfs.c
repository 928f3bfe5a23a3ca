// SPDX-License-Identifier: GPL-2.0-only
/* sysfs.c: what a unit says of itself in /sys/bus/event_source/devices */
#include <linux/device.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "model.h"

static ssize_t text_show(struct device *dev, struct device_attribute *attr, char *page)
{
	return sysfs_emit(page, "%s\n", (const char *)container_of(attr, struct dev_ext_attribute, attr)->var);
}

static ssize_t cpus_show(struct device *dev, struct device_attribute *attr, char *page)
{
	struct pmu *pmu = dev_get_drvdata(dev);

	return cpumap_print_to_pagebuf(true, page, &container_of(pmu, struct unit, pmu)->cpus);
}

static struct device_attribute attr_cpus = __ATTR(cpus, 0444, cpus_show, NULL);
static struct device_attribute attr_cpumask = __ATTR(cpumask, 0444, cpus_show, NULL);
static struct attribute *cpus_attrs[] = { &attr_cpus.attr, NULL };
static struct attribute *cpumask_attrs[] = { &attr_cpumask.attr, NULL };

static int fill(struct attribute_group *group, const char *name, const char *const *text)
{
	struct dev_ext_attribute *attr;
	int n = 0, i;

	while (text[2 * n])
		n++;
	group->name = name;
	group->attrs = kcalloc(n + 1, sizeof(*group->attrs), GFP_KERNEL);
	attr = kcalloc(n + 1, sizeof(*attr), GFP_KERNEL);
	if (!group->attrs || !attr)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		attr[i].attr = (struct device_attribute)__ATTR(model, 0444, text_show, NULL);
		attr[i].attr.attr.name = text[2 * i];
		attr[i].var = (void *)text[2 * i + 1];
		sysfs_attr_init(&attr[i].attr.attr);
		group->attrs[i] = &attr[i].attr.attr;
	}
	return 0;
}

int model_make_sysfs(struct unit *unit)
{
	const struct model *model = unit->model;
	struct attribute_group *group = unit->groups;
	int err = fill(group++, "format", model->format);

	if (!err)
		err = fill(group++, "events", model->event);
	if (!err && model->caps)
		err = fill(group++, "caps", model->caps);
	if (model->is_uncore)
		(group++)->attrs = cpumask_attrs;
	else if (model->type != PERF_TYPE_RAW || model->cpus)
		(group++)->attrs = cpus_attrs;
	for (int i = 0; unit->groups + i < group; i++)
		unit->group_list[i] = &unit->groups[i];
	return err;
}
