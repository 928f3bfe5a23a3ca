/* m1top list events --truth: what the seed has drawn for a simulated machine without names */
#include <inttypes.h>

#include "cmd/list/list.h"
#include "discover/kernel/kernel.h"
#include "backend/sim/sim.h"

enum { IDS = 256 };

static const char *kind_name(enum sim_kind kind)
{
	switch (kind) {
	case SIM_NEVER: return "never";
	case SIM_SAME: return "same";
	case SIM_COUNTS: return "counts";
	case SIM_SPECULATES: return "speculates";
	case SIM_CYCLES: return "cycles";
	}
	return "";
}

static void add_answer(struct list *list, unsigned id, const struct sim_answer *answer,
		       const char *kernel, const char *type)
{
	char code[16], counters[64], mask[24], k[32] = "";

	snprintf(code, sizeof(code), "0x%02x", id);
	snprintf(mask, sizeof(mask), "0x%03" PRIx16, answer->counters);
	counters_text(answer->counters, counters, sizeof(counters));
	if (answer->k > 0)
		snprintf(k, sizeof(k), "%g", answer->k);
	if (list_matches(list, (const char *[]){ code, kind_name(answer->kind), kernel, NULL }))
		listing_add(&list->listing, (const char *[]){ code, kind_name(answer->kind),
							      counters, kernel, type, k, mask });
}

/* A row for each kernel and core type that an id responds to; one without, if it is none. */
static void add_id(struct list *list, unsigned id)
{
	const struct machine *machine = &list->backend->machine;
	struct sim_answer answer = sim_truth_of_id(list->backend, 0, id, "");
	bool responds = false;

	if (answer.kind == SIM_NEVER)
		return;
	for (const struct kernel *kernel = kernel_table; kernel->name; kernel++)
		for (unsigned type = 0; type < machine->n_types; type++) {
			answer = sim_truth_of_id(list->backend, type, id, kernel->name);
			if (answer.k > 0)
				add_answer(list, id, &answer, kernel->name,
					   machine->type[type].name);
			responds |= answer.k > 0;
		}
	if (!responds)
		add_answer(list, id, &answer, "", "");
}

void list_truth(struct list *list)
{
	for (unsigned id = 0; id < IDS; id++)
		add_id(list, id);
}
