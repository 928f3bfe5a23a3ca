#include "discover/report/fields.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/num.h"
#include "discover/findings.h"

void report_wrong(struct report_fields *r, const char *place, const char *field, const char *what)
{
	if (r->rc)
		return;
	r->rc = err_set(r->err, EINVAL, "%s: %s%s%s: %s", r->name, place, *field ? "." : "", field,
			what);
}

void report_no_memory(struct report_fields *r)
{
	if (!r->rc)
		r->rc = err_set(r->err, ENOMEM, "out of memory");
}

/* ---- common to all fields ---- */

void field_next(struct report_fields *r, const char *gap, const char *name)
{
	const struct json json = { r->out, gap, ": " };

	json_next(&json, name);
}

void field_begin_line(struct report_fields *r)
{
	if (!r->out)
		return;
	field_next(r, GAP_IN_OBJECT, NULL);
	text_printf(r->out, "{");
}

void field_end(struct report_fields *r, const char *gap, const char *end)
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

bool field_exists(const struct report_fields *r, const struct node *node, const char *field,
		  bool is_set)
{
	return r->out ? is_set : !!cJSON_GetObjectItemCaseSensitive(node->value, field);
}

bool field_unknown(struct report_fields *r, const struct node *node, const char *field,
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

void field_text(struct report_fields *r, const struct node *node, const char *field, char *text,
		size_t size)
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

void field_name(struct report_fields *r, const struct node *node, const char *field, unsigned n,
		const char *(*name_of)(const struct findings *findings, unsigned i),
		const char *what, unsigned *i)
{
	const char *taken = take_text(r, node, field);

	if (r->out) {
		text_json(r->out, name_of(r->findings, *i));
		return;
	}
	for (*i = 0; *i < n; ++*i)
		if (strcmp(taken, name_of(r->findings, *i)) == 0)
			return;
	*i = 0;
	report_wrong(r, node->place, field, what);
}

void field_hex(struct report_fields *r, const struct node *node, const char *field, int digits,
	       uint64_t *number)
{
	const char *taken = take_text(r, node, field);

	if (r->out)
		text_printf(r->out, "\"0x%0*" PRIx64 "\"", digits, *number);
	else if (!r->rc && num_parse_u64(taken, number))
		report_wrong(r, node->place, field, "not a number");
}

void field_id(struct report_fields *r, const struct node *node, size_t *place)
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

void field_ids(struct report_fields *r, const struct node *node, const char *field, bool *is_in)
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

void field_flag(struct report_fields *r, const struct node *node, const char *field, bool *flag)
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

double field_item(struct report_fields *r, const cJSON *item, const struct node *node,
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

void field_number(struct report_fields *r, const struct node *node, const char *field,
		  double *number)
{
	const cJSON *value = fields_begin(r, node, field);

	if (r->out)
		print_number(*number, r->out);
	else
		*number = field_item(r, value, node, field);
}

void field_whole(struct report_fields *r, const struct node *node, const char *field, uint64_t max,
		 uint64_t *number)
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

void field_unsigned(struct report_fields *r, const struct node *node, const char *field,
		    unsigned max, unsigned *number)
{
	uint64_t whole = *number;

	field_whole(r, node, field, max, &whole);
	*number = (unsigned)whole;
}

void field_seconds(struct report_fields *r, const struct node *node, const char *field,
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

const cJSON *field_array(struct report_fields *r, const struct node *node, const char *field)
{
	const cJSON *value = fields_begin(r, node, field);

	if (r->out)
		text_printf(r->out, "[");
	else if (value && !cJSON_IsArray(value))
		report_wrong(r, node->place, field, "not an array");
	return cJSON_IsArray(value) ? value->child : NULL;
}

void field_pair(struct report_fields *r, const struct node *node, const char *field, double *number)
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
	const char *comma = "";

	for (; counters; counters &= counters - 1) {
		text_printf(ret, "%s%d", comma, __builtin_ctzll(counters));
		comma = between;
	}
}

void field_counters(struct report_fields *r, const struct node *node, const char *field,
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

struct node field_object(struct report_fields *r, const struct node *node, const char *field,
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

void field_lines(struct report_fields *r, const struct node *top, const char *field, size_t n,
		 field_line_fn *line)
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
