/* fields.h: fields of a report; the same call writes a field or reads it strictly */
#ifndef DISCOVER_REPORT_FIELDS_H
#define DISCOVER_REPORT_FIELDS_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

struct findings;

/** Report being written or read. After the first error, all calls do nothing. */
struct report_fields {
	const char *name;          /* name of the file being read */
	struct findings *findings; /* constant while writing */
	struct text *out;          /* NULL: reading */
	struct err *err;
	int rc; /* 0 without errors */
};

/** Object in the report. */
struct node {
	const char *gap; /* writing: text before each field: " ", or "\n…" if on its own line */
	const cJSON *value; /* reading */
	char place[64];     /* reading: place in the file: "$.estimates[3]" */
};

/** Text before the fields of a list's lines, of a multi-line object, and of the report itself. */
#define GAP_IN_LINE   " "
#define GAP_IN_OBJECT "\n    "
#define GAP_ON_TOP    "\n  "

#define RUNS_MAX      (UINT64_C(1) << 53) /* largest integer range exact in JSON */

/** Report a wrong field: "FILE: $.PLACE.FIELD: WHAT". @field "" for the place itself */
void report_wrong(struct report_fields *r, const char *place, const char *field, const char *what);

/** Report that memory ran out. */
void report_no_memory(struct report_fields *r);

/** Whether an optional field is present. @is_set  decides when writing */
bool field_exists(const struct report_fields *r, const struct node *node, const char *field,
		  bool is_set);

/** Whether a field is null (unknown), which completes it. @is_unknown  decides when writing */
bool field_unknown(struct report_fields *r, const struct node *node, const char *field,
		   bool is_unknown);

/** Read or write a text that must fit into `size`. */
void field_text(struct report_fields *r, const struct node *node, const char *field, char *text,
		size_t size);

/** Read or write true or false. */
void field_flag(struct report_fields *r, const struct node *node, const char *field, bool *flag);

/** Read or write a number; NaN is null. */
void field_number(struct report_fields *r, const struct node *node, const char *field,
		  double *number);

/** Read or write two numbers: [1, null]. */
void field_pair(struct report_fields *r, const struct node *node, const char *field,
		double *number);

/** Read or write an integer from 0 to max. */
void field_whole(struct report_fields *r, const struct node *node, const char *field, uint64_t max,
		 uint64_t *number);

/** Read or write an unsigned from 0 to max. */
void field_unsigned(struct report_fields *r, const struct node *node, const char *field,
		    unsigned max, unsigned *number);

/** Read or write a time in seconds, held in ns. */
void field_seconds(struct report_fields *r, const struct node *node, const char *field,
		   uint64_t *ns);

/** Read or write a number as a text with at least `digits` digits: "0x95". */
void field_hex(struct report_fields *r, const struct node *node, const char *field, int digits,
	       uint64_t *number);

/** Read or write bits as an array: [5, 6, 7]; 0 is null, which leaves the value unchanged. */
void field_counters(struct report_fields *r, const struct node *node, const char *field,
		    uint64_t *counters);

/** Read or write one of n names, by index. @name_of  returns each name  @what  error text for other names */
void field_name(struct report_fields *r, const struct node *node, const char *field, unsigned n,
		const char *(*name_of)(const struct findings *findings, unsigned i),
		const char *what, unsigned *i);

/** Read or write one of the ids, by index. */
void field_id(struct report_fields *r, const struct node *node, size_t *place);

/** Read or write some of the ids. @is_in  flags by index; reading sets those present; NULL: the
 * findings' own list */
void field_ids(struct report_fields *r, const struct node *node, const char *field, bool *is_in);

/** Begin an array of other values. @return its first item; NULL if it is empty or being written */
const cJSON *field_array(struct report_fields *r, const struct node *node, const char *field);

/** Begin the next item of an array being written, or with a name a field. */
void field_next(struct report_fields *r, const char *gap, const char *name);

/** Read a number in an array. */
double field_item(struct report_fields *r, const cJSON *item, const struct node *node,
		  const char *field);

/** Begin an object. @gap  text before its fields */
struct node field_object(struct report_fields *r, const struct node *node, const char *field,
			 const char *gap);

/** End what field_array, field_object or field_begin_line has begun. @end "]" "}" */
void field_end(struct report_fields *r, const char *gap, const char *end);

/** Handler of a line of an array. @i  its index in the file, or among all candidates for writing */
typedef void field_line_fn(struct report_fields *r, const struct node *node, size_t i);

/** Begin a line, which ends with field_end. */
void field_begin_line(struct report_fields *r);

/** Read or write the objects of a top-level array. @n  candidates for writing, of which `line` may
 * skip some */
void field_lines(struct report_fields *r, const struct node *top, const char *field, size_t n,
		 field_line_fn *line);

#endif
