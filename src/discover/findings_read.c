/* Reports read back: nothing in one is taken on trust. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "discover/findings_file.h"
#include "discover/findings_node.h"

/* A list of ids, of which each is one of the report's. @tick  set by place */
static void tick_ids(struct reading *r, const struct node *node, const char *field,
		     void (*tick)(struct findings *findings, unsigned type, unsigned kernel,
				  size_t place),
		     unsigned type, unsigned kernel)
{
	const char *text = node_text(r, node, field);
	struct ids ids = { 0 };
	struct err why = { "" };

	if (r->rc || !*text)
		return;
	if (ids_parse(text, &ids, &why))
		node_wrong(r, node->place, field, why.text);
	for (size_t i = 0; i < ids.n && !r->rc; i++) {
		long place = ids_find(&r->findings->ids, ids.id[i]);

		if (place < 0)
			node_wrong(r, node->place, field, "holds what is none of the ids");
		else
			tick(r->findings, type, kernel, (size_t)place);
	}
	ids_fini(&ids);
}

/* ---- head ---- */

static void take_machine(struct reading *r, const struct node *top)
{
	struct findings_machine *machine = &r->findings->machine;
	const struct node node = node_object(r, top, "machine");

	node_copy(r, &node, "model", machine->model, sizeof(machine->model));
	node_copy(r, &node, "cpuid", machine->cpuid, sizeof(machine->cpuid));
	node_copy(r, &node, "kernel", machine->kernel, sizeof(machine->kernel));
	node_copy(r, &node, "backend", machine->backend, sizeof(machine->backend));
	node_copy(r, &node, "m1top", machine->m1top, sizeof(machine->m1top));
	node_copy(r, &node, "date", machine->date, sizeof(machine->date));
	machine->is_simulated = node_flag(r, &node, "simulated");
}

static void take_session(struct reading *r, const struct node *node)
{
	struct findings_session *session = &r->findings->session[r->findings->n_sessions];

	if (r->findings->n_sessions == SESSIONS_MAX) {
		node_wrong(r, node->place, "", "too many sessions");
		return;
	}
	node_copy(r, node, "kernel", session->kernel, sizeof(session->kernel));
	node_copy(r, node, "m1top", session->m1top, sizeof(session->m1top));
	node_copy(r, node, "date", session->date, sizeof(session->date));
	session->after_runs = node_whole(r, node, "after_runs", UINT64_C(1) << 53);
	r->findings->n_sessions++;
}

static void take_type(struct reading *r, const struct node *node)
{
	struct findings_type *type = &r->findings->type[r->findings->n_types];

	if (r->findings->n_types == TYPES_MAX) {
		node_wrong(r, node->place, "", "too many types");
		return;
	}
	node_copy(r, node, "name", type->name, sizeof(type->name));
	node_copy(r, node, "cpuid", type->cpuid, sizeof(type->cpuid));
	node_copy(r, node, "pmu", type->pmu, sizeof(type->pmu));
	type->cpu = (unsigned)node_whole(r, node, "cpu", CPUS_MAX - 1);
	type->n_counters = (unsigned)node_whole(r, node, "counters", 64);
	type->choosable = node_counters(r, node, "choosable");
	if (!r->rc && node_has(node, "umask_bits")) {
		type->event_bits = node_id(r, node, "event_bits");
		type->umask_bits = node_id(r, node, "umask_bits");
	}
	r->findings->n_types++;
}

static void take_kernels(struct reading *r, const struct node *options)
{
	const cJSON *array = node_array(r, options, "kernels");
	struct findings *findings = r->findings;

	for (const cJSON *item = array ? array->child : NULL; item && !r->rc; item = item->next) {
		if (!cJSON_IsString(item) || !*item->valuestring ||
		    strlen(item->valuestring) >= KERNEL_NAME_MAX ||
		    findings->n_kernels == KERNELS_MAX)
			node_wrong(r, options->place, "kernels", "not a list of kernels");
		else
			snprintf(findings->kernel[findings->n_kernels++], KERNEL_NAME_MAX, "%s",
				 item->valuestring);
	}
}

/* Reports of earlier versions say nothing about a kernel of the user's. */
static void take_own(struct reading *r, const struct node *options)
{
	struct own_origin *own = &r->findings->own;

	if (r->rc || !node_has(options, "own"))
		return;

	const struct node node = node_object(r, options, "own");

	node_copy(r, &node, "name", own->name, sizeof(own->name));
	if (!r->rc && findings_kernel_named(r->findings, own->name) < 0)
		node_wrong(r, node.place, "name", "none of the kernels");
	if (!r->rc && node_has(&node, "asm")) {
		node_copy(r, &node, "asm", own->assembly, sizeof(own->assembly));
		own->hash = node_id(r, &node, "hash");
		return;
	}
	node_copy(r, &node, "trigger", own->trigger, sizeof(own->trigger));
	node_copy(r, &node, "control", own->control, sizeof(own->control));
}

static void take_lengths(struct reading *r, const struct node *options)
{
	const cJSON *array = node_array(r, options, "lengths");
	struct experiment_plan *plan = &r->findings->plan;

	for (const cJSON *item = array ? array->child : NULL; item && !r->rc; item = item->next) {
		double length = node_number_of(r, item, options, "lengths");
		bool is_longer =
			!plan->n_lengths || length > (double)plan->length[plan->n_lengths - 1];

		if (!(length >= 1 && length <= 1e12) || length != floor(length) || !is_longer ||
		    plan->n_lengths == LENGTHS_MAX)
			node_wrong(r, options->place, "lengths", "not a list of lengths");
		else
			plan->length[plan->n_lengths++] = (uint64_t)length;
	}
	if (!plan->n_lengths)
		node_wrong(r, options->place, "lengths", "empty");
}

static void take_options(struct reading *r, const struct node *top)
{
	const struct node node = node_object(r, top, "options");
	struct findings *findings = r->findings;
	struct err why = { "" };

	if (!r->rc && ids_parse(node_text(r, &node, "ids"), &findings->ids, &why))
		node_wrong(r, node.place, "ids", why.text);
	take_kernels(r, &node);
	take_own(r, &node);
	take_lengths(r, &node);
	findings->plan.repeats = (unsigned)node_whole(r, &node, "repeats", REPEATS_MAX);
	findings->plan.seed = node_id(r, &node, "seed");
	findings->is_quick = node_flag(r, &node, "quick");
	findings->only_masks = node_flag(r, &node, "masks");
	if (!r->rc && findings->plan.repeats < REPEATS_MIN)
		node_wrong(r, node.place, "repeats", "too few");
}

static void take_rejected(struct reading *r, const struct node *top)
{
	struct findings *findings = r->findings;
	const struct node node = node_object(r, top, "rejected");
	double seconds = node_number(r, top, "seconds");

	findings->is_complete = node_flag(r, top, "complete");
	if (!(seconds >= 0 && seconds < 1e9))
		node_wrong(r, top->place, "seconds", "not a time");
	else
		findings->spent_ns = (uint64_t)(seconds * 1e9);
	findings->n_runs = node_whole(r, top, "runs", UINT64_C(1) << 53);
	for (unsigned i = UNDISTURBED + 1; i < N_DISTURBANCES; i++)
		findings->rejected[i] =
			node_whole(r, &node, disturbance_name(i), UINT64_C(1) << 53);
}

static void take_notes_of(struct reading *r, const struct node *node, unsigned type)
{
	for (unsigned i = 0; i < r->findings->n_kernels && !r->rc; i++)
		if (node_has(node, r->findings->kernel[i]))
			node_copy(r, node, r->findings->kernel[i], r->findings->note[type][i],
				  KERNEL_NOTE_MAX);
}

/*
 * By type. Older reports have them by kernel, for all types together; where the user's kernel is called
 * like a type, what it is tells which.
 */
static void take_notes(struct reading *r, const struct node *top)
{
	const struct node node = node_object(r, top, "notes");

	for (const cJSON *item = r->rc ? NULL : node.value->child; item && !r->rc;
	     item = item->next) {
		int type = findings_type_named(r->findings, item->string);
		int kernel = findings_kernel_named(r->findings, item->string);

		if (type >= 0 && (kernel < 0 || cJSON_IsObject(item))) {
			const struct node of_type = node_object(r, &node, item->string);

			take_notes_of(r, &of_type, (unsigned)type);
		} else if (kernel >= 0) {
			node_copy(r, &node, item->string, r->findings->note[0][kernel],
				  KERNEL_NOTE_MAX);
		}
	}
}

/* ---- ids ---- */

static int source_named(const char *name)
{
	for (int i = MASK_UNKNOWN; i <= MASK_BY_DRIVER; i++)
		if (strcmp(name, mask_source_name((enum mask_source)i)) == 0)
			return i;
	return -1;
}

static void take_mask(struct reading *r, const struct node *node, struct findings_id *of_id)
{
	int source = source_named(node_text(r, node, "found"));

	if (source < 0) {
		node_wrong(r, node->place, "found", "no way to find counters");
		return;
	}
	of_id->mask.source = (enum mask_source)source;
	of_id->mask.counters = node_counters(r, node, "counters");
	of_id->is_conflict = node_has(node, "conflict") && node_flag(r, node, "conflict");
	if (source != MASK_BY_DRIVER)
		return;
	of_id->mask.copies = (uint8_t)node_whole(r, node, "copies", 64);

	double above = node_number(r, node, "above");

	if (!(above >= -1 && above <= 64))
		node_wrong(r, node->place, "above", "not a number from -1 to 64");
	else
		of_id->mask.above = (uint8_t)above;
}

static void take_event(struct reading *r, const struct node *node)
{
	unsigned type = node_type(r, node);
	size_t place = node_place(r, node);

	if (r->rc)
		return;

	struct findings_id *of_id = findings_of_id(r->findings, type, place);

	if (node_has(node, "name")) {
		node_copy(r, node, "name", of_id->label, sizeof(of_id->label));
		of_id->catalogue = node_counters(r, node, "catalogue");
		of_id->is_known = true;
	}
	if (of_id->is_mask_done)
		take_mask(r, node, of_id);
	if (node_has(node, "per_cycle"))
		of_id->per_cycle = node_number(r, node, "per_cycle");
	if (node_has(node, "per_ns"))
		of_id->per_ns = node_number(r, node, "per_ns");
}

static void tick_mask(struct findings *findings, unsigned type, unsigned kernel, size_t place)
{
	(void)kernel;
	findings_of_id(findings, type, place)->is_mask_done = true;
}

static void take_masks_tried(struct reading *r, const struct node *top)
{
	const struct node node = node_object(r, top, "masks_tried");

	for (unsigned type = 0; type < r->findings->n_types && !r->rc; type++)
		tick_ids(r, &node, r->findings->type[type].name, tick_mask, type, 0);
}

/* ---- estimates ---- */

/* Until its estimate comes it counts as one that was not kept. */
static void tick_tried(struct findings *findings, unsigned type, unsigned kernel, size_t place)
{
	bool *is_tried =
		&findings->is_tried[(type * findings->n_kernels + kernel) * findings->ids.n +
				    place];

	findings->n_left_out += !*is_tried;
	*is_tried = true;
}

static void take_tried(struct reading *r, const struct node *node)
{
	unsigned type = node_type(r, node), kernel = node_kernel(r, node);

	tick_ids(r, node, "ids", tick_tried, type, kernel);
}

static void take_both(struct reading *r, const struct node *node, const char *field, double *ret)
{
	const cJSON *array = node_array(r, node, field);

	if (array && cJSON_GetArraySize(array) != 2)
		node_wrong(r, node->place, field, "not two numbers");
	for (int i = 0; i < 2 && !r->rc; i++)
		ret[i] = node_number_of(r, cJSON_GetArrayItem(array, i), node, field);
}

static void take_figures(struct reading *r, const struct node *node, struct estimate *ret)
{
	ret->k = node_number(r, node, "k");
	ret->slope = node_number(r, node, "slope");
	ret->low = node_number(r, node, "low");
	ret->high = node_number(r, node, "high");
	ret->intercept = node_number(r, node, "intercept");
	ret->residual = node_number(r, node, "residual");
	ret->noise = node_number(r, node, "noise");
	ret->n_largest = node_number(r, node, "largest");
	ret->p = node_number(r, node, "p");
	ret->n_pairs = (uint32_t)node_whole(r, node, "pairs", UINT32_MAX);
	if (!(ret->p >= 0 && ret->p <= 1))
		node_wrong(r, node->place, "p", "not from 0 to 1");
	if (ret->verdict != VERDICT_UNKNOWN && (isnan(ret->slope) || isnan(ret->low)))
		node_wrong(r, node->place, "slope", "null, though it has a verdict");
}

static void take_estimate(struct reading *r, const struct node *node)
{
	struct finding finding = {
		.type = (uint16_t)node_type(r, node),
		.kernel = (uint16_t)node_kernel(r, node),
	};
	size_t place = node_place(r, node);
	int verdict = estimate_verdict_named(node_text(r, node, "verdict"));

	if (r->rc)
		return;
	if (verdict < 0)
		node_wrong(r, node->place, "verdict", "no verdict");
	else
		finding.estimate.verdict = (enum verdict)verdict;
	finding.id = r->findings->ids.id[place];
	take_figures(r, node, &finding.estimate);
	take_both(r, node, "counts", finding.count);
	take_both(r, node, "cycles", finding.cycles);
	finding.ns[0] = finding.ns[1] = NAN;
	if (node_has(node, "ns"))
		take_both(r, node, "ns", finding.ns);
	if (!r->rc && !findings_is_tried(r->findings, finding.type, finding.kernel, place))
		node_wrong(r, node->place, "id", "not among those that were tried");
	if (!r->rc && findings_keep(r->findings, &finding))
		node_no_memory(r);
}

/* After the decision, which has put them in order. */
static void check_once(struct reading *r)
{
	const struct findings *findings = r->findings;

	for (size_t i = 1; i < findings->n && !r->rc; i++) {
		const struct finding *a = &findings->finding[i - 1], *b = a + 1;
		char place[64];

		if (a->type != b->type || a->kernel != b->kernel || a->id != b->id)
			continue;
		snprintf(place, sizeof(place), "$.estimates, kernel %s",
			 findings->kernel[a->kernel]);
		node_wrong(r, place, "", "an id is there twice");
	}
}

static void count_left_out(struct reading *r)
{
	struct findings *findings = r->findings;

	if (r->rc)
		return;
	if (findings->n > findings->n_left_out)
		node_wrong(r, "$.estimates", "", "more than were tried");
	else
		findings->n_left_out -= findings->n;
}

static void take_all(struct reading *r, const struct node *top)
{
	if (!r->rc && node_whole(r, top, "m1top_discover", 1000) != FINDINGS_FORMAT)
		node_wrong(r, top->place, "m1top_discover",
			   "a format that this m1top does not know");
	take_machine(r, top);
	if (!r->rc && node_has(top, "sessions"))
		node_each(r, top, "sessions", take_session);
	node_each(r, top, "types", take_type);
	take_options(r, top);
	if (!r->rc && !r->findings->n_types)
		node_wrong(r, "$.types", "", "empty");
	if (!r->rc && findings_make_room(r->findings))
		node_no_memory(r);
	take_rejected(r, top);
	take_notes(r, top);
	take_masks_tried(r, top);
	node_each(r, top, "events", take_event);
	node_each(r, top, "tried", take_tried);
	node_each(r, top, "estimates", take_estimate);
	count_left_out(r);
	if (!r->rc && findings_decide(r->findings))
		node_no_memory(r);
	check_once(r);
}

static unsigned line_of(const char *bytes, const char *at)
{
	unsigned line = 1;

	for (; bytes < at; bytes++)
		line += *bytes == '\n';
	return line;
}

int findings_parse(const char *name, const char *bytes, size_t n, struct findings *ret,
		   struct err *err)
{
	struct findings findings = { 0 };
	struct reading r = { .name = name, .findings = &findings, .err = err };
	const char *end = bytes;
	struct node top = { cJSON_ParseWithLengthOpts(bytes, n, &end, 0), "$" };

	if (!top.value)
		r.rc = err_set(err, EINVAL, "%s:%u: not valid JSON from here", name,
			       line_of(bytes, end));
	else if (end + strspn(end, " \t\r\n") < bytes + n)
		r.rc = err_set(err, EINVAL, "%s:%u: something behind the report", name,
			       line_of(bytes, end));
	else if (!cJSON_IsObject(top.value))
		node_wrong(&r, "$", "", "not an object");
	else
		take_all(&r, &top);
	cJSON_Delete((cJSON *)top.value);
	if (r.rc)
		findings_fini(&findings);
	else
		*ret = findings;
	return r.rc;
}
