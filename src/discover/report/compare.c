#include "discover/findings.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

struct comparing {
	const struct findings *of[2];
	unsigned type[2], kernel[2];
	struct findings_comparison *ret;
};

/* Find the same kernel in the other report. User's kernels with the same name but other contents
 * are different. */
static int matching_kernel(const struct findings *a, unsigned kernel, const struct findings *b)
{
	const char *name = a->kernel[kernel];

	if (strcmp(a->custom.name, name) == 0 && custom_origin_differs(&b->custom, &a->custom))
		return -1;
	return findings_kernel_named(b, name);
}

/* Return an id's estimate; one that was not kept means no response. */
static struct estimate estimate_of(const struct comparing *c, unsigned which, uint64_t id)
{
	const struct findings *findings = c->of[which];
	const struct finding key = {
		.id = id,
		.type = (uint16_t)c->type[which],
		.kernel = (uint16_t)c->kernel[which],
	};
	const struct finding *found = findings->n ? bsearch(&key, findings->finding, findings->n,
							    sizeof(key), finding_order)
						  : NULL;

	return found ? found->estimate : (struct estimate){ .verdict = VERDICT_NONE, .k = NAN };
}

static bool agree(const struct estimate *a, const struct estimate *b)
{
	if (a->verdict != b->verdict)
		return false;
	if (a->verdict == VERDICT_CONSISTENT)
		return a->k == b->k;
	if (a->verdict == VERDICT_RELATED)
		return a->low <= b->high && b->low <= a->high;
	return true;
}

static int compare_add(struct findings_comparison *ret,
		       const struct findings_difference *difference)
{
	return array_append((void **)&ret->difference, &ret->cap, &ret->n, difference,
			    sizeof(*difference));
}

static int compare_answers(struct comparing *c, uint64_t id)
{
	struct findings_difference difference = {
		.id = id,
		.type = { c->type[0], c->type[1] },
		.kernel = c->of[0]->kernel[c->kernel[0]],
		.of = { estimate_of(c, 0, id), estimate_of(c, 1, id) },
	};

	c->ret->n_compared++;
	if (difference.of[0].verdict == VERDICT_UNKNOWN ||
	    difference.of[1].verdict == VERDICT_UNKNOWN)
		return 0;
	if (!agree(&difference.of[0], &difference.of[1]))
		return compare_add(c->ret, &difference);
	c->ret->n_same += difference.of[0].verdict != VERDICT_NONE;
	return 0;
}

static int compare_masks(struct comparing *c, uint64_t id, const size_t *place)
{
	const struct mask *mask[2];
	struct findings_difference difference = { .id = id, .type = { c->type[0], c->type[1] } };

	for (unsigned i = 0; i < 2; i++) {
		mask[i] = &findings_of_id(c->of[i], c->type[i], place[i])->mask;
		difference.counters[i] = mask[i]->counters;
	}
	if (!mask[0]->counters || !mask[1]->counters || mask[0]->counters == mask[1]->counters)
		return 0;
	return compare_add(c->ret, &difference);
}

static int compare_id(struct comparing *c, size_t place_a)
{
	uint64_t id = c->of[0]->ids.id[place_a];
	long place_b = ids_find(&c->of[1]->ids, id);
	const size_t place[2] = { place_a, (size_t)place_b };

	if (place_b < 0)
		return 0;

	int rc = compare_masks(c, id, place);

	for (c->kernel[0] = 0; c->kernel[0] < c->of[0]->n_kernels && !rc; c->kernel[0]++) {
		int kernel = matching_kernel(c->of[0], c->kernel[0], c->of[1]);

		c->kernel[1] = (unsigned)kernel;
		if (kernel >= 0 && findings_tried(c->of[0], c->type[0], c->kernel[0])[place[0]] &&
		    findings_tried(c->of[1], c->type[1], c->kernel[1])[place[1]])
			rc = compare_answers(c, id);
	}
	return rc;
}

int findings_compare(const struct findings *a, const struct findings *b,
		     struct findings_comparison *ret, struct err *err)
{
	struct findings_comparison made = {
		.apart = custom_origin_differs(&a->custom, &b->custom) ? a->custom.name : NULL,
	};
	struct comparing c = { .of = { a, b }, .ret = &made };
	bool are_alone = a->n_types == 1 && b->n_types == 1;
	int rc = 0;

	for (c.type[0] = 0; c.type[0] < a->n_types && !rc; c.type[0]++) {
		int type = are_alone ? 0 : findings_type_named(b, a->type[c.type[0]].name);

		c.type[1] = (unsigned)type;
		for (size_t i = 0; type >= 0 && i < a->ids.n && !rc; i++)
			rc = compare_id(&c, i);
	}
	if (rc)
		err_set(err, ENOMEM, "out of memory");
	else if (!made.n_compared && !made.n)
		rc = err_set(err, EINVAL,
			     "the reports have no id, kernel and core type in common%s%s",
			     made.apart ? ": each has a different kernel named " : "",
			     made.apart ? made.apart : "");
	if (rc)
		findings_compared_fini(&made);
	else
		*ret = made;
	return rc;
}

void findings_compared_fini(struct findings_comparison *compared)
{
	if (!compared)
		return;
	free(compared->difference);
	*compared = (struct findings_comparison){ 0 };
}
