/* findings_node.h: fields of a report being read, strictly */
#ifndef DISCOVER_FINDINGS_NODE_H
#define DISCOVER_FINDINGS_NODE_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct findings;

/** A report being read. What is wrong first is told; everything behind it does nothing. */
struct reading {
	const char *name;
	struct findings *findings;
	struct err *err;
	int rc; /* 0 while all is well */
};

/** An object with its place in the file: "$.estimates[3]". */
struct node {
	const cJSON *value;
	char place[64];
};

/** Tell that a field is wrong: "FILE: $.PLACE.FIELD: WHAT". @field "" the place itself */
void node_wrong(struct reading *r, const char *place, const char *field, const char *what);

/** The same of memory. */
void node_no_memory(struct reading *r);

/** Is there such a field? */
bool node_has(const struct node *node, const char *field);

/** A field of a certain kind; where it is missing or of another, that is told, and this is "". */
const char *node_text(struct reading *r, const struct node *node, const char *field);

/** A text that must fit. */
void node_copy(struct reading *r, const struct node *node, const char *field, char *ret,
	       size_t size);

/** True or false. */
bool node_flag(struct reading *r, const struct node *node, const char *field);

/** NaN stands for null. */
double node_number(struct reading *r, const struct node *node, const char *field);

/** The same of an item of a field's array. */
double node_number_of(struct reading *r, const cJSON *value, const struct node *node,
		      const char *field);

/** A whole number from 0 to max. */
uint64_t node_whole(struct reading *r, const struct node *node, const char *field, uint64_t max);

/** A number in a text: "0x95". */
uint64_t node_id(struct reading *r, const struct node *node, const char *field);

/** Places of what "type", "kernel" and "id" name, in the lists of the findings. */
unsigned node_type(struct reading *r, const struct node *node);
unsigned node_kernel(struct reading *r, const struct node *node);
size_t node_place(struct reading *r, const struct node *node);

/** Numbers of counters, as bits. */
uint64_t node_counters(struct reading *r, const struct node *node, const char *field);

/** @return NULL where it is none */
const cJSON *node_array(struct reading *r, const struct node *node, const char *field);

/** An object within the object. */
struct node node_object(struct reading *r, const struct node *node, const char *field);

/** What each object of an array is given to. */
typedef void node_take_fn(struct reading *r, const struct node *node);

/** Every object of an array of the report itself. */
void node_each(struct reading *r, const struct node *top, const char *field, node_take_fn *take);

#endif
