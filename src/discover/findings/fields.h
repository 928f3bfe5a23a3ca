/* fields.h: fields of a report: the same call writes one, or reads it strictly */
#ifndef DISCOVER_FINDINGS_FIELDS_H
#define DISCOVER_FINDINGS_FIELDS_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

struct findings;

/** A report being written or read. What is wrong first is told; everything behind it does nothing. */
struct report_fields {
	const char *name;          /* of the file that is read */
	struct findings *findings; /* only looked at when they are written */
	struct text *out;          /* NULL: it is read */
	struct err *err;
	int rc; /* 0 while all is well */
};

/** An object in it. */
struct node {
	const char
		*gap; /* writing: before a field: " ", or where each has a line of its own "\n…" */
	const cJSON *value; /* reading */
	char place[64];     /* reading: in the file: "$.estimates[3]" */
};

/** What the fields of a list's lines, of an object in lines and of the report itself stand behind. */
#define GAP_IN_LINE   " "
#define GAP_IN_OBJECT "\n    "
#define GAP_ON_TOP    "\n  "

#define RUNS_MAX      (UINT64_C(1) << 53) /* which a number in JSON can still say */

/** Tell that a field is wrong: "FILE: $.PLACE.FIELD: WHAT". @field "" the place itself */
void report_wrong(struct report_fields *r, const char *place, const char *field, const char *what);

/** The same of memory. */
void report_no_memory(struct report_fields *r);

/** Is there a field that may be missing? @is_set  what decides when it is written */
bool field_exists(const struct report_fields *r, const struct node *node, const char *field,
		  bool is_set);

/** Is a field null, as what is unknown? Then it is done with. @is_unknown  what decides when it is written */
bool field_unknown(struct report_fields *r, const struct node *node, const char *field,
		   bool is_unknown);

/** What must fit. */
void field_text(struct report_fields *r, const struct node *node, const char *field, char *text,
		size_t size);

/** True or false. */
void field_flag(struct report_fields *r, const struct node *node, const char *field, bool *flag);

/** NaN is null. */
void field_number(struct report_fields *r, const struct node *node, const char *field,
		  double *number);

/** Two of them: [1, null]. */
void field_pair(struct report_fields *r, const struct node *node, const char *field,
		double *number);

/** A whole number from 0 to max. */
void field_whole(struct report_fields *r, const struct node *node, const char *field, uint64_t max,
		 uint64_t *number);

/** The same of another type. */
void field_unsigned(struct report_fields *r, const struct node *node, const char *field,
		    unsigned max, unsigned *number);

/** Nanoseconds, as seconds. */
void field_seconds(struct report_fields *r, const struct node *node, const char *field,
		   uint64_t *ns);

/** A number in a text, of so many digits at least: "0x95". */
void field_hex(struct report_fields *r, const struct node *node, const char *field, int digits,
	       uint64_t *number);

/** Bits as an array: [5, 6, 7]; null and untouched: 0. */
void field_counters(struct report_fields *r, const struct node *node, const char *field,
		    uint64_t *counters);

/** One of n names as its number. @name_of  each  @what  is wrong with any other */
void field_name(struct report_fields *r, const struct node *node, const char *field, unsigned n,
		const char *(*name_of)(const struct findings *findings, unsigned i),
		const char *what, unsigned *i);

/** One of the ids, as its place. */
void field_id(struct report_fields *r, const struct node *node, size_t *place);

/** Some of the ids. @is_in  by place; reading sets those that are there; NULL: the findings' own list */
void field_ids(struct report_fields *r, const struct node *node, const char *field, bool *is_in);

/** Begin an array of other things. @return its first item; NULL: it has none, or it is written */
const cJSON *field_array(struct report_fields *r, const struct node *node, const char *field);

/** Begin the next item of an array being written. */
void field_next(struct report_fields *r, const char *gap);

/** A number in an array being read. */
double field_item(struct report_fields *r, const cJSON *item, const struct node *node,
		  const char *field);

/** Begin an object. @gap  between its own fields */
struct node field_object(struct report_fields *r, const struct node *node, const char *field,
			 const char *gap);

/** Write the end of what field_array, field_object or field_line has begun. @end "]" "}" */
void field_end(struct report_fields *r, const char *gap, const char *end);

/** A line of an array. @i  its number in the file, or of those that could be written */
typedef void field_line_fn(struct report_fields *r, const struct node *node, size_t i);

/** Write the beginning of a line, which ends with field_end. */
void field_begin_line(struct report_fields *r);

/** Every object of an array of the report itself. @n  to be written, of which `line` may leave out some */
void field_lines(struct report_fields *r, const struct node *top, const char *field, size_t n,
		 field_line_fn *line);

/** The first half of a report: the machine, its types, what is swept and how. */
void report_head(struct report_fields *r, const struct node *top);

#endif
