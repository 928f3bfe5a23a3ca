/* report.c: contents of a report. The same call writes a field or reads it strictly; everything read back
 * is checked. */
#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/json.h"
#include "base/num.h"
#include "base/text.h"
#include "discover/findings.h"

/* Report being written or read. After the first error, all calls do nothing. */
struct report_fields {
	const char *name;          /* name of the file being read */
	struct findings *findings; /* constant while writing */
	struct text *out;          /* NULL: reading */
	struct err *err;
	int rc; /* 0 without errors */
};

/* Object in the report. */
struct node {
	const char *gap; /* writing: text before each field: " ", or "\n…" if on its own line */
	const cJSON *value; /* reading */
	char place[64];     /* reading: place in the file: "$.estimates[3]" */
};

/* Text before the fields of a list's lines, of a multi-line object, and of the report itself. */
#define GAP_IN_LINE   " "
#define GAP_IN_OBJECT "\n    "
#define GAP_ON_TOP    "\n  "

#define RUNS_MAX      (UINT64_C(1) << 53) /* largest integer range exact in JSON */

/* Report a wrong field: "FILE: $.PLACE.FIELD: WHAT". @field "" for the place itself */
static void report_wrong(struct report_fields *r, const char *place, const char *field,
			 const char *what)
{
	if (r->rc)
		return;
	r->rc = err_set(r->err, EINVAL, "%s: %s%s%s: %s", r->name, place, *field ? "." : "", field,
			what);
}

/* Report that memory ran out. */
static void report_no_memory(struct report_fields *r)
{
	if (!r->rc)
		r->rc = err_set(r->err, ENOMEM, "out of memory");
}

/* ---- common to all fields ---- */

/* Begin the next item of an array being written, or with a name a field. */
static void field_next(struct report_fields *r, const char *gap, const char *name)
{
	const struct json json = { r->out, gap, ": " };

	json_next(&json, name);
}

/* Begin a line, which ends with field_end. */
static void field_begin_line(struct report_fields *r)
{
	if (!r->out)
		return;
	field_next(r, GAP_IN_OBJECT, NULL);
	text_printf(r->out, "{");
}

/* End what field_array, field_object or field_begin_line has begun. @end "]" "}" */
static void field_end(struct report_fields *r, const char *gap, const char *end)
{
	if (r->out)
		text_printf(r->out, "%s%s", *gap == ' ' || json_is_first(r->out) ? "" : GAP_ON_TOP,
			    end);
}

/* Write a field's name, or look it up. @return NULL if written, or missing, which was reported */
static const cJSON *fields_begin(struct report_fields *r, const struct node *node,
				 const char *field)
{
	const cJSON *value = NULL;

	if (r->out) {
		field_next(r, node->gap, field);
		return NULL;
	}
	if (!r->rc)
		value = cJSON_GetObjectItemCaseSensitive(node->value, field);
	if (!value)
		report_wrong(r, node->place, field, "missing");
	return value;
}

/* Whether an optional field is present. @is_set  decides when writing */
static bool field_exists(const struct report_fields *r, const struct node *node, const char *field,
			 bool is_set)
{
	return r->out ? is_set : !!cJSON_GetObjectItemCaseSensitive(node->value, field);
}

/* Whether a field is null (unknown), which completes it. @is_unknown  decides when writing */
static bool field_unknown(struct report_fields *r, const struct node *node, const char *field,
			  bool is_unknown)
{
	if (!r->out)
		return cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(node->value, field));
	if (is_unknown) {
		fields_begin(r, node, field);
		text_printf(r->out, "null");
	}
	return is_unknown;
}

/* ---- texts ---- */

/* @return the text read; else "" */
static const char *take_text(struct report_fields *r, const struct node *node, const char *field)
{
	const cJSON *value = fields_begin(r, node, field);

	if (value && !cJSON_IsString(value))
		report_wrong(r, node->place, field, "not a string");
	return value && cJSON_IsString(value) ? value->valuestring : "";
}

/* Read or write a text that must fit into `size`. */
static void field_text(struct report_fields *r, const struct node *node, const char *field,
		       char *text, size_t size)
{
	const char *taken = take_text(r, node, field);

	if (r->out) {
		text_json(r->out, text);
		return;
	}
	if (strlen(taken) >= size)
		report_wrong(r, node->place, field, "too long");
	snprintf(text, size, "%s", taken);
}

/* Read or write one of n names, by index. @stride  bytes from a name to the next  @what  error text for other names */
static void field_name(struct report_fields *r, const struct node *node, const char *field,
		       unsigned n, const char *names, size_t stride, const char *what, unsigned *i)
{
	const char *taken = take_text(r, node, field);

	if (r->out) {
		text_json(r->out, names + *i * stride);
		return;
	}
	for (*i = 0; *i < n; ++*i)
		if (strcmp(taken, names + *i * stride) == 0)
			return;
	*i = 0;
	report_wrong(r, node->place, field, what);
}

/* Read or write a number as a text with at least `digits` digits: "0x95". */
static void field_hex(struct report_fields *r, const struct node *node, const char *field,
		      int digits, uint64_t *number)
{
	const char *taken = take_text(r, node, field);

	if (r->out)
		text_printf(r->out, "\"0x%0*" PRIx64 "\"", digits, *number);
	else if (!r->rc && num_parse_u64(taken, number))
		report_wrong(r, node->place, field, "not a number");
}

/* Read or write one of the ids, by index. */
static void field_id(struct report_fields *r, const struct node *node, size_t *place)
{
	const struct ids *ids = &r->findings->ids;
	uint64_t id = r->out ? ids->id[*place] : 0;

	field_hex(r, node, "id", 2, &id);

	long found = ids_find(ids, id);

	if (found < 0)
		report_wrong(r, node->place, "id", "none of the ids");
	*place = found < 0 ? 0 : (size_t)found;
}

static void tick_ids(struct report_fields *r, const struct node *node, const char *field,
		     const struct ids *ids, bool *is_in)
{
	for (size_t i = 0; i < ids->n && !r->rc; i++) {
		long place = ids_find(&r->findings->ids, ids->id[i]);

		if (place < 0)
			report_wrong(r, node->place, field,
				     "contains something that is not one of the ids");
		else
			is_in[place] = true;
	}
}

/* Read or write some of the ids. @is_in  flags by index; reading sets those present; NULL: the
 * findings' own list */
static void field_ids(struct report_fields *r, const struct node *node, const char *field,
		      bool *is_in)
{
	const char *taken = take_text(r, node, field);
	struct ids ids = { 0 };
	struct err why = { "" };

	if (r->out) {
		text_printf(r->out, "\"");
		ids_print(&r->findings->ids, is_in, r->out);
		text_printf(r->out, "\"");
		return;
	}
	if (r->rc || (is_in && !*taken))
		return;
	if (ids_parse(taken, &ids, &why))
		report_wrong(r, node->place, field, why.text);
	if (!is_in) {
		r->findings->ids = ids;
		return;
	}
	tick_ids(r, node, field, &ids, is_in);
	ids_fini(&ids);
}

/* ---- numbers ---- */

/* Read or write true or false. */
static void field_flag(struct report_fields *r, const struct node *node, const char *field,
		       bool *flag)
{
	const cJSON *value = fields_begin(r, node, field);

	if (r->out) {
		text_printf(r->out, *flag ? "true" : "false");
		return;
	}
	if (value && !cJSON_IsBool(value))
		report_wrong(r, node->place, field, "neither true nor false");
	*flag = cJSON_IsTrue(value);
}

/* Write a number; NaN is null. */
static void print_number(double value, struct text *ret)
{
	char number[NUM_SHORTEST_MAX];

	text_printf(ret, "%s", isfinite(value) ? num_shortest(value, number) : "null");
}

/* Read a number in an array. */
static double field_item(struct report_fields *r, const cJSON *item, const struct node *node,
			 const char *field)
{
	if (!item || cJSON_IsNull(item))
		return NAN;
	if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble)) {
		report_wrong(r, node->place, field, "not a number");
		return NAN;
	}
	return item->valuedouble;
}

/* Read or write a number; NaN is null. */
static void field_number(struct report_fields *r, const struct node *node, const char *field,
			 double *number)
{
	const cJSON *value = fields_begin(r, node, field);

	if (r->out)
		print_number(*number, r->out);
	else
		*number = field_item(r, value, node, field);
}

/* Read or write an integer from 0 to max. */
static void field_whole(struct report_fields *r, const struct node *node, const char *field,
			uint64_t max, uint64_t *number)
{
	const cJSON *value = fields_begin(r, node, field);

	if (r->out) {
		text_printf(r->out, "%" PRIu64, *number);
		return;
	}

	double taken = field_item(r, value, node, field);

	if (taken >= 0 && taken <= (double)max && taken == floor(taken))
		*number = (uint64_t)taken;
	else
		report_wrong(r, node->place, field, "not a whole number in its range");
}

/* Read or write an unsigned from 0 to max. */
static void field_unsigned(struct report_fields *r, const struct node *node, const char *field,
			   unsigned max, unsigned *number)
{
	uint64_t whole = *number;

	field_whole(r, node, field, max, &whole);
	*number = (unsigned)whole;
}

/* Read or write a time in seconds, held in ns. */
static void field_seconds(struct report_fields *r, const struct node *node, const char *field,
			  uint64_t *ns)
{
	const cJSON *value = fields_begin(r, node, field);
	double seconds = (double)*ns / 1e9;

	if (r->out) {
		text_printf(r->out, "%.3f", seconds);
		return;
	}
	seconds = field_item(r, value, node, field);
	if (seconds >= 0 && seconds < 1e9)
		*ns = (uint64_t)(seconds * 1e9);
	else
		report_wrong(r, node->place, field, "not a time");
}

/* ---- arrays and objects ---- */

/* Begin an array of other values. @return its first item; NULL if it is empty or being written */
static const cJSON *field_array(struct report_fields *r, const struct node *node, const char *field)
{
	const cJSON *value = fields_begin(r, node, field);

	if (r->out)
		text_printf(r->out, "[");
	else if (value && !cJSON_IsArray(value))
		report_wrong(r, node->place, field, "not an array");
	return value && cJSON_IsArray(value) ? value->child : NULL;
}

/* Read or write two numbers: [1, null]. */
static void field_pair(struct report_fields *r, const struct node *node, const char *field,
		       double *number)
{
	const cJSON *item = field_array(r, node, field);

	if (!r->out && (!item || !item->next || item->next->next))
		report_wrong(r, node->place, field, "not two numbers");
	for (unsigned i = 0; i < 2 && !r->rc; i++) {
		if (r->out) {
			field_next(r, GAP_IN_LINE, NULL);
			print_number(number[i], r->out);
		} else {
			number[i] = field_item(r, i ? item->next : item, node, field);
		}
	}
	field_end(r, GAP_IN_LINE, "]");
}

void findings_print_counters(uint64_t counters, const char *between, struct text *ret)
{
	for (unsigned n = 0; counters; counters &= counters - 1)
		text_printf(ret, "%s%d", n++ ? between : "", __builtin_ctzll(counters));
}

/* Read or write bits as an array: [5, 6, 7]; 0 is null, which leaves the value unchanged. */
static void field_counters(struct report_fields *r, const struct node *node, const char *field,
			   uint64_t *counters)
{
	uint64_t taken = 0;

	if (field_unknown(r, node, field, !*counters))
		return;

	const cJSON *item = field_array(r, node, field);

	if (r->out) {
		findings_print_counters(*counters, ", ", r->out);
		text_printf(r->out, "]");
		return;
	}
	for (; item; item = item->next) {
		double bit = field_item(r, item, node, field);

		if (!(bit >= 0 && bit < 64 && bit == floor(bit)))
			report_wrong(r, node->place, field, "not the number of a counter");
		else
			taken |= UINT64_C(1) << (unsigned)bit;
	}
	*counters = taken;
}

/* Begin an object. @gap  text before its fields */
static struct node field_object(struct report_fields *r, const struct node *node, const char *field,
				const char *gap)
{
	struct node found = { .gap = gap, .value = fields_begin(r, node, field) };

	if (r->out) {
		text_printf(r->out, "{");
		return found;
	}
	snprintf(found.place, sizeof(found.place), "%.30s.%.30s", node->place, field);
	if (found.value && !cJSON_IsObject(found.value))
		report_wrong(r, found.place, "", "not an object");
	return found;
}

/* Handler of a line of an array. @i  its index in the file, or among all candidates for writing */
typedef void field_line_fn(struct report_fields *r, const struct node *node, size_t i);

/* Read or write the objects of a top-level array. @n  candidates for writing, of which `line` may
 * skip some */
static void field_lines(struct report_fields *r, const struct node *top, const char *field,
			size_t n, field_line_fn *line)
{
	struct node node = { .gap = GAP_IN_LINE, .value = field_array(r, top, field) };

	for (size_t i = 0; (r->out ? i < n : !!node.value) && !r->rc; i++) {
		snprintf(node.place, sizeof(node.place), "$.%.30s[%zu]", field, i);
		if (!r->out && !cJSON_IsObject(node.value))
			report_wrong(r, node.place, "", "not an object");
		else
			line(r, &node, i);
		node.value = r->out ? NULL : node.value->next;
	}
	field_end(r, GAP_IN_OBJECT, "]");
}

/* Machine data at the beginning of a report. */

static void machine(struct report_fields *r, const struct node *top)
{
	struct findings_machine *machine = &r->findings->machine;
	const struct node node = field_object(r, top, "machine", GAP_IN_OBJECT);

	field_text(r, &node, "model", machine->model, sizeof(machine->model));
	field_text(r, &node, "cpuid", machine->cpuid, sizeof(machine->cpuid));
	field_text(r, &node, "kernel", machine->kernel, sizeof(machine->kernel));
	field_text(r, &node, "backend", machine->backend, sizeof(machine->backend));
	field_text(r, &node, "m1top", machine->m1top, sizeof(machine->m1top));
	field_text(r, &node, "date", machine->date, sizeof(machine->date));
	field_flag(r, &node, "simulated", &machine->is_simulated);
	field_end(r, node.gap, "}");
}

/* Whether a session is written; one that had nothing left to do is not. */
static bool session_is_written(const struct findings *findings, size_t session)
{
	return findings->session[session].after_runs != findings->n_runs;
}

static void session(struct report_fields *r, const struct node *node, size_t i)
{
	struct findings_session *session = &r->findings->session[i];

	if (r->out && !session_is_written(r->findings, i))
		return;
	if (i == SESSIONS_MAX) {
		report_wrong(r, node->place, "", "too many sessions");
		return;
	}
	field_begin_line(r);
	field_text(r, node, "kernel", session->kernel, sizeof(session->kernel));
	field_text(r, node, "m1top", session->m1top, sizeof(session->m1top));
	field_text(r, node, "date", session->date, sizeof(session->date));
	field_whole(r, node, "after_runs", RUNS_MAX, &session->after_runs);
	field_end(r, node->gap, "}");
	if (!r->out)
		r->findings->n_sessions++;
}

static void sessions(struct report_fields *r, const struct node *top)
{
	bool has_any = false;

	for (unsigned i = 0; r->out && i < r->findings->n_sessions; i++)
		has_any |= session_is_written(r->findings, i);
	if (!r->rc && field_exists(r, top, "sessions", has_any))
		field_lines(r, top, "sessions", r->findings->n_sessions, session);
}

static void type(struct report_fields *r, const struct node *node, size_t i)
{
	struct findings_type *type = &r->findings->type[i];

	if (i == TYPES_MAX) {
		report_wrong(r, node->place, "", "too many types");
		return;
	}
	field_begin_line(r);
	field_text(r, node, "name", type->name, sizeof(type->name));
	field_text(r, node, "cpuid", type->cpuid, sizeof(type->cpuid));
	field_text(r, node, "pmu", type->pmu, sizeof(type->pmu));
	field_unsigned(r, node, "cpu", CPUS_MAX - 1, &type->cpu);
	field_unsigned(r, node, "counters", 64, &type->n_counters);
	field_counters(r, node, "choosable", &type->choosable);
	if (field_exists(r, node, "umask_bits", type->umask_bits)) {
		field_hex(r, node, "event_bits", 0, &type->event_bits);
		field_hex(r, node, "umask_bits", 0, &type->umask_bits);
	}
	field_end(r, node->gap, "}");
	if (!r->out)
		r->findings->n_types++;
}

/* ---- options ---- */

static void kernels(struct report_fields *r, const struct node *options)
{
	struct findings *findings = r->findings;

	for (const cJSON *item = field_array(r, options, "kernels"); item && !r->rc;
	     item = item->next) {
		if (!cJSON_IsString(item) || !*item->valuestring ||
		    strlen(item->valuestring) >= KERNEL_NAME_MAX ||
		    findings->n_kernels == KERNELS_MAX)
			report_wrong(r, options->place, "kernels", "not a list of kernels");
		else
			snprintf(findings->kernel[findings->n_kernels++], KERNEL_NAME_MAX, "%s",
				 item->valuestring);
	}
	for (unsigned i = 0; r->out && i < findings->n_kernels; i++) {
		field_next(r, GAP_IN_LINE, NULL);
		text_json(r->out, findings->kernel[i]);
	}
	field_end(r, GAP_IN_LINE, "]");
}

/* Read or write the user's kernel, if there is one. */
static void custom(struct report_fields *r, const struct node *options)
{
	struct custom_origin *custom = &r->findings->custom;

	if (r->rc || !field_exists(r, options, "own", *custom->name))
		return;

	const struct node node = field_object(r, options, "own", GAP_IN_LINE);

	field_text(r, &node, "name", custom->name, sizeof(custom->name));
	if (findings_kernel_named(r->findings, custom->name) < 0)
		report_wrong(r, node.place, "name", "none of the kernels");
	if (field_exists(r, &node, "asm", *custom->assembly)) {
		field_text(r, &node, "asm", custom->assembly, sizeof(custom->assembly));
		field_hex(r, &node, "hash", 16, &custom->hash);
	} else {
		field_text(r, &node, "trigger", custom->trigger, sizeof(custom->trigger));
		field_text(r, &node, "control", custom->control, sizeof(custom->control));
	}
	field_end(r, node.gap, "}");
}

static void take_length(struct report_fields *r, const struct node *options, const cJSON *item)
{
	struct experiment_plan *plan = &r->findings->plan;
	double length = field_item(r, item, options, "lengths");
	bool is_longer = !plan->n_lengths || length > (double)plan->length[plan->n_lengths - 1];

	if (!(length >= 1 && length <= 1e12) || length != floor(length) || !is_longer ||
	    plan->n_lengths == LENGTHS_MAX)
		report_wrong(r, options->place, "lengths", "not a list of lengths");
	else
		plan->length[plan->n_lengths++] = (uint64_t)length;
}

static void lengths(struct report_fields *r, const struct node *options)
{
	struct experiment_plan *plan = &r->findings->plan;
	const cJSON *item = field_array(r, options, "lengths");

	for (; item && !r->rc; item = item->next)
		take_length(r, options, item);
	if (!plan->n_lengths)
		report_wrong(r, options->place, "lengths", "empty");
	for (unsigned i = 0; r->out && i < plan->n_lengths; i++) {
		field_next(r, GAP_IN_LINE, NULL);
		text_printf(r->out, "%" PRIu64, plan->length[i]);
	}
	field_end(r, GAP_IN_LINE, "]");
}

static void options(struct report_fields *r, const struct node *top)
{
	const struct node node = field_object(r, top, "options", GAP_IN_OBJECT);
	struct findings *findings = r->findings;

	field_ids(r, &node, "ids", NULL);
	kernels(r, &node);
	custom(r, &node);
	lengths(r, &node);
	field_unsigned(r, &node, "repeats", REPEATS_MAX, &findings->plan.repeats);
	field_hex(r, &node, "seed", 0, &findings->plan.seed);
	field_flag(r, &node, "quick", &findings->is_quick);
	field_flag(r, &node, "masks", &findings->only_masks);
	field_end(r, node.gap, "}");
	if (!r->out && findings->plan.repeats < REPEATS_MIN)
		report_wrong(r, node.place, "repeats", "too few");
}

/* Read or write the first half of a report: machine, types and options. */
static void report_head(struct report_fields *r, const struct node *top)
{
	uint64_t format = FINDINGS_FORMAT;

	field_whole(r, top, "m1top_discover", 1000, &format);
	if (format != FINDINGS_FORMAT)
		report_wrong(r, top->place, "m1top_discover",
			     "a format that this m1top does not know");
	machine(r, top);
	sessions(r, top);
	field_lines(r, top, "types", r->findings->n_types, type);
	options(r, top);
}

/* ---- names ---- */

static void field_type(struct report_fields *r, const struct node *node, unsigned *type)
{
	const struct findings_type *all = r->findings->type;

	field_name(r, node, "type", r->findings->n_types, all->name, sizeof(*all),
		   "none of the types", type);
}

static void field_kernel(struct report_fields *r, const struct node *node, unsigned *kernel)
{
	field_name(r, node, "kernel", r->findings->n_kernels, r->findings->kernel[0],
		   KERNEL_NAME_MAX, "none of the kernels", kernel);
}

/* ---- progress ---- */

static void progress(struct report_fields *r, const struct node *top)
{
	struct findings *findings = r->findings;

	field_flag(r, top, "complete", &findings->is_complete);
	field_seconds(r, top, "seconds", &findings->spent_ns);
	field_whole(r, top, "runs", RUNS_MAX, &findings->n_runs);

	const struct node node = field_object(r, top, "rejected", GAP_IN_LINE);

	for (unsigned i = UNDISTURBED + 1; i < N_DISTURBANCES; i++)
		field_whole(r, &node, disturbance_name[i], RUNS_MAX, &findings->rejected[i]);
	field_end(r, node.gap, "}");
}

static void notes_of_type(struct report_fields *r, const struct node *notes, unsigned type)
{
	const struct node node = field_object(r, notes, r->findings->type[type].name, GAP_IN_LINE);
	char(*note)[KERNEL_NOTE_MAX] = r->findings->note[type];

	for (unsigned i = 0; i < r->findings->n_kernels; i++)
		if (field_exists(r, &node, r->findings->kernel[i], *note[i]))
			field_text(r, &node, r->findings->kernel[i], note[i], sizeof(note[i]));
	field_end(r, node.gap, "}");
}

static void notes(struct report_fields *r, const struct node *top)
{
	const struct node node = field_object(r, top, "notes", GAP_IN_OBJECT);

	for (unsigned type = 0; type < r->findings->n_types; type++)
		if (field_exists(r, &node, r->findings->type[type].name, true))
			notes_of_type(r, &node, type);
	field_end(r, node.gap, "}");
}

/* ---- ids ---- */

static void masks_tried(struct report_fields *r, const struct node *top)
{
	const struct node node = field_object(r, top, "masks_tried", GAP_IN_OBJECT);
	struct findings *findings = r->findings;
	AUTO_FREE bool *is_done = calloc(findings->ids.n + 1, sizeof(*is_done));

	if (!is_done && r->out)
		r->out->failed = true;
	else if (!is_done)
		report_no_memory(r);
	for (unsigned type = 0; is_done && type < findings->n_types && !r->rc; type++) {
		for (size_t i = 0; i < findings->ids.n; i++)
			is_done[i] = findings_of_id(findings, type, i)->is_mask_done;
		field_ids(r, &node, findings->type[type].name, is_done);
		for (size_t i = 0; !r->out && i < findings->ids.n; i++)
			findings_of_id(findings, type, i)->is_mask_done = is_done[i];
	}
	field_end(r, node.gap, "}");
}

static void mask(struct report_fields *r, const struct node *node, struct mask *mask)
{
	unsigned source = mask->source, copies = mask->copies;
	double above = mask->above == 0xff ? NAN : mask->above;

	if (!field_unknown(r, node, "found", source == MASK_UNKNOWN))
		field_name(r, node, "found", MASK_BY_DRIVER + 1, mask_source_name[0],
			   sizeof(mask_source_name[0]), "not a way to find counters", &source);
	field_counters(r, node, "counters", &mask->counters);
	if (source == MASK_BY_DRIVER) {
		field_unsigned(r, node, "copies", 64, &copies);
		field_number(r, node, "above", &above);
		if (!isnan(above) && !(above >= 0 && above <= 64))
			report_wrong(r, node->place, "above", "not a number from 0 to 64");
	}
	if (r->out || r->rc)
		return;
	mask->source = source;
	mask->copies = (uint8_t)copies;
	mask->above = isnan(above) ? 0xff : (uint8_t)above;
}

static void event(struct report_fields *r, const struct node *node, size_t i)
{
	size_t n = r->findings->ids.n, place = r->out ? i % n : 0;
	unsigned type = r->out ? (unsigned)(i / n) : 0;
	struct findings_id *of_id = findings_of_id(r->findings, type, place);

	if (r->out && !of_id->is_known && of_id->mask.source == MASK_UNKNOWN &&
	    !(of_id->per_cycle != 0) && !(of_id->per_ns != 0))
		return; /* nothing is known of it */
	field_begin_line(r);
	field_type(r, node, &type);
	field_id(r, node, &place);
	if (r->rc)
		return;
	of_id = findings_of_id(r->findings, type, place);
	if (field_exists(r, node, "name", of_id->is_known)) {
		field_text(r, node, "name", of_id->label, sizeof(of_id->label));
		field_counters(r, node, "catalogue", &of_id->catalogue);
		of_id->is_known = true;
	}
	if (of_id->is_mask_done)
		mask(r, node, &of_id->mask);
	if (field_exists(r, node, "conflict", of_id->is_conflict))
		field_flag(r, node, "conflict", &of_id->is_conflict);
	if (field_exists(r, node, "per_cycle", of_id->per_cycle != 0))
		field_number(r, node, "per_cycle", &of_id->per_cycle);
	if (field_exists(r, node, "per_ns", of_id->per_ns != 0))
		field_number(r, node, "per_ns", &of_id->per_ns);
	field_end(r, node->gap, "}");
}

/* ---- estimates ---- */

static void tried(struct report_fields *r, const struct node *node, size_t i)
{
	unsigned n = r->findings->n_kernels;
	unsigned type = r->out ? (unsigned)i / n : 0, kernel = r->out ? (unsigned)i % n : 0;

	field_begin_line(r);
	field_type(r, node, &type);
	field_kernel(r, node, &kernel);
	if (!r->rc)
		field_ids(r, node, "ids", findings_tried(r->findings, type, kernel));
	field_end(r, node->gap, "}");
}

static void figures(struct report_fields *r, const struct node *node, struct estimate *e)
{
	field_number(r, node, "k", &e->k);
	field_number(r, node, "slope", &e->slope);
	field_number(r, node, "low", &e->low);
	field_number(r, node, "high", &e->high);
	field_number(r, node, "intercept", &e->intercept);
	field_number(r, node, "residual", &e->residual);
	field_number(r, node, "noise", &e->noise);
	field_number(r, node, "largest", &e->n_largest);
	field_number(r, node, "p", &e->p);
	field_unsigned(r, node, "pairs", UINT32_MAX, &e->n_pairs);
	if (!r->out && !(e->p >= 0 && e->p <= 1))
		report_wrong(r, node->place, "p", "not from 0 to 1");
	if (!r->out && e->verdict != VERDICT_UNKNOWN && (isnan(e->slope) || isnan(e->low)))
		report_wrong(r, node->place, "slope", "null, though it has a verdict");
}

static void estimate(struct report_fields *r, const struct node *node, size_t i)
{
	struct findings *findings = r->findings;
	struct finding finding =
		r->out ? findings->finding[i] : (struct finding){ .ns = { NAN, NAN } };
	unsigned type = finding.type, kernel = finding.kernel, verdict = finding.estimate.verdict;
	size_t place = r->out ? (size_t)ids_find(&findings->ids, finding.id) : 0;

	field_begin_line(r);
	field_type(r, node, &type);
	field_kernel(r, node, &kernel);
	field_id(r, node, &place);
	field_name(r, node, "verdict", VERDICT_TIME + 1, estimate_verdict_name[0],
		   sizeof(estimate_verdict_name[0]), "not a verdict", &verdict);
	finding.type = (uint16_t)type;
	finding.kernel = (uint16_t)kernel;
	finding.id = findings->ids.id[place];
	finding.estimate.verdict = verdict;
	figures(r, node, &finding.estimate);
	field_pair(r, node, "counts", finding.count);
	field_pair(r, node, "cycles", finding.cycles);
	if (field_exists(r, node, "ns", isfinite(finding.ns[0]) || isfinite(finding.ns[1])))
		field_pair(r, node, "ns", finding.ns);
	field_end(r, node->gap, "}");
	if (r->out || r->rc)
		return;
	if (!findings_tried(findings, finding.type, finding.kernel)[place])
		report_wrong(r, node->place, "id", "not among those that were tried");
	else if (findings_keep(findings, &finding))
		report_no_memory(r);
}

/* ---- whole report ---- */

static void body(struct report_fields *r, const struct node *top)
{
	const struct findings *findings = r->findings;

	progress(r, top);
	notes(r, top);
	masks_tried(r, top);
	field_lines(r, top, "events", findings->n_types * findings->ids.n, event);
	field_lines(r, top, "tried", findings->n_types * findings->n_kernels, tried);
	field_lines(r, top, "estimates", findings->n, estimate);
}

void findings_print(const struct findings *findings, struct text *ret)
{
	struct report_fields r = { .findings = (struct findings *)findings, .out = ret };
	const struct node top = { .gap = GAP_ON_TOP };

	text_printf(ret, "{");
	report_head(&r, &top);
	body(&r, &top);
	text_printf(ret, "\n}\n");
}

/* ---- reading ---- */

/* Check that no id occurs twice; needs the order of findings_decide. */
static void check_once(struct report_fields *r)
{
	const struct findings *findings = r->findings;

	for (size_t i = 1; i < findings->n && !r->rc; i++) {
		const struct finding *a = &findings->finding[i - 1], *b = a + 1;
		char place[64];

		if (a->type != b->type || a->kernel != b->kernel || a->id != b->id)
			continue;
		snprintf(place, sizeof(place), "$.estimates, kernel %s",
			 findings->kernel[a->kernel]);
		report_wrong(r, place, "", "an id occurs twice");
	}
}

/* Count the estimates that were tried but not kept. */
static void count_left_out(struct report_fields *r)
{
	struct findings *findings = r->findings;
	size_t n_tried = 0;

	if (r->rc)
		return;
	for (size_t i = 0; i < findings->n_types * findings->n_kernels * findings->ids.n; i++)
		n_tried += findings->is_tried[i];
	if (findings->n > n_tried)
		report_wrong(r, "$.estimates", "", "more than were tried");
	else
		findings->n_left_out = n_tried - findings->n;
}

static void report_take_all(struct report_fields *r, const struct node *top)
{
	report_head(r, top);
	if (!r->findings->n_types)
		report_wrong(r, "$.types", "", "empty");
	if (!r->rc && findings_make_room(r->findings))
		report_no_memory(r);
	if (!r->rc)
		body(r, top);
	count_left_out(r);
	if (!r->rc && findings_decide(r->findings))
		report_no_memory(r);
	check_once(r);
}

int findings_parse(const char *name, const char *bytes, size_t n, struct findings *ret,
		   struct err *err)
{
	struct findings findings = { 0 };
	struct report_fields r = { .name = name, .findings = &findings, .err = err };
	const char *end = bytes;
	struct node top = { .value = cJSON_ParseWithLengthOpts(bytes, n, &end, 0), .place = "$" };

	if (!top.value)
		r.rc = err_set(err, EINVAL, "%s:%u: not valid JSON from here", name,
			       text_line_of(bytes, end));
	else if (end + strspn(end, " \t\r\n") < bytes + n)
		r.rc = err_set(err, EINVAL, "%s:%u: unexpected data after the report", name,
			       text_line_of(bytes, end));
	else if (!cJSON_IsObject(top.value))
		report_wrong(&r, "$", "", "not an object");
	else
		report_take_all(&r, &top);
	cJSON_Delete((cJSON *)top.value);
	if (r.rc)
		findings_fini(&findings);
	else
		*ret = findings;
	return r.rc;
}
