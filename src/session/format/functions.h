/* functions.h: the table of functions in the formats; private to session/format */
#ifndef SESSION_FORMAT_FUNCTIONS_H
#define SESSION_FORMAT_FUNCTIONS_H

#include "session/format.h"

/** Append context->functions: a heading for each core type and a line for each function. */
void functions_as_table(const struct format_context *context, const struct frame *frame,
			struct text *out);

/** Append a line of fields for each: [time,] count, event, share and error in %, samples, function, object, task, and the
 * core type if there are several. */
void functions_as_csv(const struct format_context *context, const struct frame *frame,
		      const char *sep, struct text *out);

/** Append an object for each. */
void functions_as_json(const struct format_context *context, const struct frame *frame,
		       struct text *out);

#endif
