// SPDX-License-Identifier: GPL-2.0
/* driver.c: detects whether the kernel's own driver has the PMU or takes it */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/device.h>
#include <linux/of.h>
#include <linux/platform_device.h>
#include <linux/string.h>

#include "m1pmu.h"

/* Whether a node is Apple's PMU: "apple,icestorm-pmu", "apple,firestorm-pmu" and successors. */
static bool is_apple_pmu(const struct device_node *node)
{
	struct property *prop;
	const char *name;

	of_property_for_each_string(node, "compatible", prop, name) {
		size_t n = strlen(name);

		if (n > 4 && strstarts(name, "apple,") && !strcmp(name + n - 4, "-pmu"))
			return true;
	}
	return false;
}

static bool is_bound(struct device_node *node)
{
	struct device *dev = bus_find_device_by_of_node(&platform_bus_type, node);
	bool bound = dev && READ_ONCE(dev->driver);

	put_device(dev);
	return bound;
}

bool m1pmu_driver_bound(bool log)
{
	struct device_node *node;

	for_each_node_with_property(node, "compatible") {
		if (!is_apple_pmu(node) || !is_bound(node))
			continue;
		if (log)
			pr_err_ratelimited("the kernel's own driver owns the PMU %pOFn and cannot be unbound; boot with initcall_blacklist=m1_pmu_driver_init, or use perf\n",
			       node);
		of_node_put(node);
		return true;
	}
	return false;
}

/* End the session before the kernel's driver binds, which cannot be refused; the registers are then as found. */
static int driver_binds(struct notifier_block *nb, unsigned long action, void *device)
{
	const struct device *dev = device;

	if (action == BUS_NOTIFY_BIND_DRIVER && dev->of_node && is_apple_pmu(dev->of_node))
		m1pmu_session_end("the kernel's own driver takes the PMU", false);
	return NOTIFY_OK;
}

static struct notifier_block bind_notifier = { .notifier_call = driver_binds };

int m1pmu_driver_watch(void)
{
	return bus_register_notifier(&platform_bus_type, &bind_notifier);
}

void m1pmu_driver_unwatch(void)
{
	bus_unregister_notifier(&platform_bus_type, &bind_notifier);
}
