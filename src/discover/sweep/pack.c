#include "discover/sweep/pack.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"

/* most recent sets that are searched for room: among thousands of ids, older ones are not worth it */
enum { OPEN_MAX = 24 };

struct id_packing {
	const struct core_type *type;
	const uint64_t *counters;
	bool is_core;
	const struct event *always;
	struct packs packs;
};

static bool fits(const struct id_packing *p, const struct pack *pack, size_t member)
{
	struct event event[CORE_SLOTS_MAX];
	struct want want[CORE_SLOTS_MAX + 1];
	struct placement unused;
	size_t n = 0;

	if (pack->n + (p->always ? 2 : 1) > CORE_SLOTS_MAX)
		return false;
	if (p->always)
		want[n++] = (struct want){ .event = p->always, .slot = -1 };
	for (unsigned i = 0; i <= pack->n; i++) {
		event[i] =
			(struct event){ .counters =
						p->counters[i < pack->n ? pack->member[i] : member],
					.needs_counter = p->is_core };
		want[n++] = (struct want){ .event = &event[i], .slot = -1 };
	}
	return placement_make(p->type, want, n, &unused, NULL) == 0;
}

static int add_pack(struct packs *packs, struct pack **ret)
{
	if (ARRAY_RESERVE(packs->pack, packs->cap, packs->n))
		return -ENOMEM;
	*ret = &packs->pack[packs->n++];
	**ret = (struct pack){ 0 };
	return 0;
}

static int pack_put(struct id_packing *p, size_t member)
{
	size_t first = p->packs.n > OPEN_MAX ? p->packs.n - OPEN_MAX : 0;
	/* if the number of counters is unknown, each event is counted alone with cycles */
	bool takes_several = !p->is_core || p->type->n_counters;
	struct pack *pack = NULL;

	for (size_t i = first; i < p->packs.n && takes_several && !pack; i++)
		if (fits(p, &p->packs.pack[i], member))
			pack = &p->packs.pack[i];
	if (!pack && add_pack(&p->packs, &pack))
		return -ENOMEM;
	pack->member[pack->n++] = (uint32_t)member;
	return 0;
}

int packs_make(const struct core_type *type, const uint64_t *counters, size_t n, bool is_core,
	       const struct event *always, struct packs *ret)
{
	struct id_packing p = {
		.type = type,
		.counters = counters,
		.is_core = is_core,
		.always = always,
	};
	int rc = 0;

	for (int free_on = 1; free_on <= 64 && !rc; free_on++)
		for (size_t i = 0; i < n && !rc; i++)
			if ((counters[i] ? __builtin_popcountll(counters[i]) : 64) == free_on)
				rc = pack_put(&p, i);
	if (rc)
		packs_fini(&p.packs);
	else
		*ret = p.packs;
	return rc;
}

int packs_split(struct packs *packs, size_t i)
{
	struct pack *half;
	unsigned kept = packs->pack[i].n / 2;

	if (add_pack(packs, &half))
		return -ENOMEM;
	for (unsigned m = kept; m < packs->pack[i].n; m++)
		half->member[half->n++] = packs->pack[i].member[m];
	packs->pack[i].n = (uint8_t)kept;
	return 0;
}

void packs_fini(struct packs *packs)
{
	if (!packs)
		return;
	free(packs->pack);
	*packs = (struct packs){ 0 };
}
