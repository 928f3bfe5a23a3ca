/* origin.h: where a kernel of the user's came from, so that nobody takes another for it */
#ifndef DISCOVER_CUSTOM_ORIGIN_H
#define DISCOVER_CUSTOM_ORIGIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

enum { ORIGIN_NAME_MAX = 32, ORIGIN_TEXT_MAX = 1024 };

/** A value. Either both commands or a file; zero is "not known". */
struct custom_origin {
	char name[ORIGIN_NAME_MAX];
	char trigger[ORIGIN_TEXT_MAX], control[ORIGIN_TEXT_MAX];
	char assembly[ORIGIN_TEXT_MAX]; /* whole path */
	uint64_t hash;                  /* of what the file holds: 64-bit FNV-1a */
};

/** Two commands. @return 0; -EINVAL for one that is too long to be written down */
int custom_origin_of_programs(const char *name, const char *trigger, const char *control,
			      struct custom_origin *ret, struct err *err);

/** A file as it is now; never waits. @return 0; -EINVAL the path is too long, or no regular file's; -EFBIG;
 * -errno of reading it */
int custom_origin_of_assembly(const char *name, const char *path, struct custom_origin *ret,
			      struct err *err);

/** Are they of one name, both known, and not the same? */
bool custom_origin_differs(const struct custom_origin *a, const struct custom_origin *b);

/** Append the options that bring it again, for the shell: " --trigger 'seq {n}' --control true". */
void custom_origin_options(const struct custom_origin *origin, struct text *ret);

#endif
