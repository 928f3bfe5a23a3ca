/* json.h: write JSON: commas, names and values */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/text.h"

/** A writer. It finds the place of commas by the last byte of the text, so that values may be appended directly. */
struct json {
	struct text *out;
	/* Before each member and value: "", " " or "\n…"; a blank is left out after an opening bracket. */
	const char *gap;
	const char *colon; /* after a name: ":", ": " or " : " */
};

/** Whether the next value is the first of its object or array, or of a line. */
bool json_is_first(const struct text *out);

/** Begin a member or, with a NULL name, a value of an array. The caller appends the value. */
void json_next(const struct json *json, const char *name);

/** Begin an object or array. @opening  "{" or "["; "\n  {" is on a line of its own, without the gap */
void json_begin(const struct json *json, const char *name, const char *opening);

/** Append a closing bracket: "}", "\n]". */
void json_end(const struct json *json, const char *closing);

/** Append a member, or a value if the name is NULL. @value  of text NULL: null */
void json_text(const struct json *json, const char *name, const char *value);
void json_u64(const struct json *json, const char *name, uint64_t value);
void json_bool(const struct json *json, const char *name, bool value);

/** Append a number with these significant digits, or null if it is not finite. */
void json_number(const struct json *json, const char *name, int digits, double value);

/** Append a value in a printf format, which adds its own quotes and needs no escapes. */
void json_printf(const struct json *json, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
