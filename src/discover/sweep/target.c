#include "discover/sweep.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "discover/ids.h"
#include "pmu/set.h"

/* Last of the kernel's software events; later ones count nothing by themselves. Source:
 * include/uapi/linux/perf_event.h, enum perf_sw_ids. */
enum { LAST_SOFTWARE_ID = 8 };

/* only event of Apple's PMC0 */
enum { FIXED_CYCLES_ID = 0x02 };

static const struct pmu *software_pmu(const struct machine *machine)
{
	for (size_t i = 0; i < machine->pmus.n; i++)
		if (machine->pmus.pmu[i].kind == PMU_SOFTWARE)
			return &machine->pmus.pmu[i];
	return NULL;
}

/* Return the least used core of a type: the first one also serves interrupts and the rest of the system. */
static unsigned last_core(const struct machine *machine, unsigned type)
{
	unsigned last = machine_first_core(machine, type);

	for (unsigned i = last; i < machine->n_cores; i++)
		if (machine->core[i].type == type)
			last = i;
	return last;
}

static uint64_t choosable_of(const struct core_type *type)
{
	if (!type->first_fit && !type->slot_is_counter)
		return 0;

	uint64_t all = (UINT64_C(1) << type->n_counters) - 1;

	return type_has_fixed_pair(type) ? all & ~UINT64_C(3) : all;
}

/* Find the cycles event by any of its names; on Apple's cores PMC0 counts cycles whatever the ids mean. */
static void find_cycles(struct event_table *events, struct target *target)
{
	const struct event_spec spec = { .slot = -1, .text = "cycles" };
	const struct event *found;

	if (type_has_fixed_pair(target->type)) {
		target->cycles = (struct event){ .pmu = target->pmu, .needs_counter = true };
		target->has_cycles =
			!raw_id_encode(target->pmu, FIXED_CYCLES_ID, target->cycles.config, NULL);
		target->cycles.counters = 1;
		snprintf(target->cycles.name, sizeof(target->cycles.name), "cycles");
		return;
	}
	if (event_resolve(events, target->index, &spec, PRIVILEGE_BOTH, &found, NULL) ||
	    found->pmu != target->pmu)
		return;
	target->cycles = *found;
	target->has_cycles = true;
}

int target_make(struct event_table *events, unsigned type, struct target *ret, struct err *err)
{
	const struct machine *machine = event_table_machine(events);
	struct target target = {
		.type = &machine->type[type],
		.index = type,
		.core = last_core(machine, type),
		.pmu = machine->type[type].pmu,
	};

	target.is_core = target.pmu;
	if (!target.pmu)
		target.pmu = software_pmu(machine);
	if (!target.pmu)
		return err_set(err, ENODEV, "this machine has no PMU to sweep");
	if (target.is_core) {
		target.choosable = choosable_of(target.type);
		find_cycles(events, &target);
	}
	*ret = target;
	return 0;
}

int target_ids(const struct target *target, struct ids *ret, struct err *err)
{
	if (target->is_core)
		return raw_id_all(target->pmu, ret, err);
	return ids_all(LAST_SOFTWARE_ID, ret) ? err_set(err, ENOMEM, "out of memory") : 0;
}

int target_check_id(const struct target *target, uint64_t id, struct err *err)
{
	if (target->is_core)
		return raw_id_check(target->pmu, id, err);
	return id <= LAST_SOFTWARE_ID ? 0
				      : err_set(err, EINVAL, "event ids of %s end at 0x%02x",
						target->pmu->name, LAST_SOFTWARE_ID);
}

uint64_t target_counters(const struct target *target, const struct mask *mask)
{
	uint64_t found = mask->counters & target->choosable;

	return found ? found : target->choosable;
}

int target_event(const struct target *target, uint64_t id, const struct mask *mask,
		 enum privilege privilege, struct event *ret, struct err *err)
{
	struct event event = {
		.pmu = target->pmu,
		.privilege = privilege,
		.needs_counter = target->is_core,
		.counters = target_counters(target, mask),
		.scale = 1,
	};
	int rc = raw_id_encode(target->pmu, id, event.config, err);

	if (rc)
		return rc;
	snprintf(event.name, sizeof(event.name), "0x%02" PRIx64, id);
	*ret = event;
	return 0;
}

enum privilege target_privilege(const struct target *target, const struct kernel *kernel)
{
	return kernel->enters_system || !target->pmu->honours_privilege ? PRIVILEGE_BOTH
									: PRIVILEGE_USER;
}
