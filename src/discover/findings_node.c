#include "discover/findings_node.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "discover/findings.h"

void node_wrong(struct reading *r, const char *place, const char *field, const char *what)
{
	if (r->rc)
		return;
	r->rc = err_set(r->err, EINVAL, "%s: %s%s%s: %s", r->name, place, *field ? "." : "", field,
			what);
}

void node_no_memory(struct reading *r)
{
	if (!r->rc)
		r->rc = err_set(r->err, ENOMEM, "out of memory");
}

/* @return NULL when it is missing, which was told */
static const cJSON *field_of(struct reading *r, const struct node *node, const char *field)
{
	const cJSON *value = r->rc ? NULL : cJSON_GetObjectItemCaseSensitive(node->value, field);

	if (!value)
		node_wrong(r, node->place, field, "missing");
	return value;
}

bool node_has(const struct node *node, const char *field)
{
	return cJSON_GetObjectItemCaseSensitive(node->value, field);
}

const char *node_text(struct reading *r, const struct node *node, const char *field)
{
	const cJSON *value = field_of(r, node, field);

	if (value && !cJSON_IsString(value))
		node_wrong(r, node->place, field, "not a string");
	return value && cJSON_IsString(value) ? value->valuestring : "";
}

void node_copy(struct reading *r, const struct node *node, const char *field, char *ret,
	       size_t size)
{
	const char *text = node_text(r, node, field);

	if (strlen(text) >= size)
		node_wrong(r, node->place, field, "too long");
	snprintf(ret, size, "%s", text);
}

bool node_flag(struct reading *r, const struct node *node, const char *field)
{
	const cJSON *value = field_of(r, node, field);

	if (value && !cJSON_IsBool(value))
		node_wrong(r, node->place, field, "neither true nor false");
	return cJSON_IsTrue(value);
}

/* @return NaN for null */
double node_number_of(struct reading *r, const cJSON *value, const struct node *node,
		      const char *field)
{
	if (!value || cJSON_IsNull(value))
		return NAN;
	if (!cJSON_IsNumber(value) || !isfinite(value->valuedouble)) {
		node_wrong(r, node->place, field, "not a number");
		return NAN;
	}
	return value->valuedouble;
}

double node_number(struct reading *r, const struct node *node, const char *field)
{
	return node_number_of(r, field_of(r, node, field), node, field);
}

/* A whole number from 0 to max. */
uint64_t node_whole(struct reading *r, const struct node *node, const char *field, uint64_t max)
{
	double value = node_number(r, node, field);

	if (!(value >= 0 && value <= (double)max && value == floor(value))) {
		node_wrong(r, node->place, field, "not a whole number in its range");
		return 0;
	}
	return (uint64_t)value;
}

/* "0x95" */
uint64_t node_id(struct reading *r, const struct node *node, const char *field)
{
	const char *text = node_text(r, node, field);
	uint64_t id = 0;

	if (!r->rc && num_parse_u64(text, &id))
		node_wrong(r, node->place, field, "no number");
	return id;
}

unsigned node_type(struct reading *r, const struct node *node)
{
	int type = findings_type_named(r->findings, node_text(r, node, "type"));

	if (type < 0)
		node_wrong(r, node->place, "type", "none of the types");
	return type < 0 ? 0 : (unsigned)type;
}

unsigned node_kernel(struct reading *r, const struct node *node)
{
	int kernel = findings_kernel_named(r->findings, node_text(r, node, "kernel"));

	if (kernel < 0)
		node_wrong(r, node->place, "kernel", "none of the kernels");
	return kernel < 0 ? 0 : (unsigned)kernel;
}

size_t node_place(struct reading *r, const struct node *node)
{
	long place = ids_find(&r->findings->ids, node_id(r, node, "id"));

	if (place < 0)
		node_wrong(r, node->place, "id", "none of the ids");
	return place < 0 ? 0 : (size_t)place;
}

struct node node_object(struct reading *r, const struct node *node, const char *field)
{
	struct node found = { .value = field_of(r, node, field) };

	snprintf(found.place, sizeof(found.place), "%.30s.%.30s", node->place, field);
	if (found.value && !cJSON_IsObject(found.value))
		node_wrong(r, found.place, "", "not an object");
	return found;
}

const cJSON *node_array(struct reading *r, const struct node *node, const char *field)
{
	const cJSON *value = field_of(r, node, field);

	if (value && !cJSON_IsArray(value)) {
		node_wrong(r, node->place, field, "not an array");
		return NULL;
	}
	return value;
}

/* Counters as bits. */
uint64_t node_counters(struct reading *r, const struct node *node, const char *field)
{
	const cJSON *array = node_array(r, node, field);
	uint64_t counters = 0;

	for (const cJSON *item = array ? array->child : NULL; item; item = item->next) {
		double bit = node_number_of(r, item, node, field);

		if (!(bit >= 0 && bit < 64 && bit == floor(bit)))
			node_wrong(r, node->place, field, "not the number of a counter");
		else
			counters |= UINT64_C(1) << (unsigned)bit;
	}
	return counters;
}

void node_each(struct reading *r, const struct node *top, const char *field, node_take_fn *take)
{
	const cJSON *array = node_array(r, top, field);
	size_t i = 0;

	for (const cJSON *item = array ? array->child : NULL; item && !r->rc; item = item->next) {
		struct node node = { .value = item };

		snprintf(node.place, sizeof(node.place), "$.%.30s[%zu]", field, i++);
		if (!cJSON_IsObject(item))
			node_wrong(r, node.place, "", "not an object");
		else
			take(r, &node);
	}
}
