/* own_origin.h: where a kernel of the user's came from, so that nobody takes another for it */
#ifndef DISCOVER_OWN_ORIGIN_H
#define DISCOVER_OWN_ORIGIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

enum { ORIGIN_NAME_MAX = 32, ORIGIN_TEXT_MAX = 1024 };

/** A value. Either both commands or a file; zero is "not known". */
struct own_origin {
	char name[ORIGIN_NAME_MAX];
	char trigger[ORIGIN_TEXT_MAX], control[ORIGIN_TEXT_MAX];
	char assembly[ORIGIN_TEXT_MAX]; /* whole path */
	uint64_t hash;                  /* of what the file holds: 64-bit FNV-1a */
};

/** Two commands. @return 0; -EINVAL for one that is too long to be written down */
int own_origin_of_programs(const char *name, const char *trigger, const char *control,
			   struct own_origin *ret, struct err *err);

/** A file as it is now; never waits. @return 0; -EINVAL the path is too long, or no regular file's; -EFBIG;
 * -errno of reading it */
int own_origin_of_assembly(const char *name, const char *path, struct own_origin *ret,
			   struct err *err);

/** Are they of one name, both known, and not the same? */
bool own_origin_differs(const struct own_origin *a, const struct own_origin *b);

/** Append the options that bring it again, for the shell: " --trigger 'seq {n}' --control true". */
void own_origin_options(const struct own_origin *origin, struct text *ret);

#endif
