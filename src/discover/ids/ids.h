/* ids.h: lists of event numbers: "0x00-0xff,0x195" */
#ifndef DISCOVER_IDS_IDS_H
#define DISCOVER_IDS_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

/** Ascending, each once. `{ 0 }` is empty. */
struct ids {
	uint64_t *id;
	size_t n;
};

enum { IDS_MAX = 1 << 20 };

/** @return 0; -EINVAL naming what is no id or range; -ERANGE more than IDS_MAX; -ENOMEM */
int ids_parse(const char *text, struct ids *ret, struct err *err);

/** Every id from 0 to last. @return 0 or -ENOMEM */
int ids_all(uint64_t last, struct ids *ret);

/** What is in either. @return 0 or -ENOMEM */
int ids_join(const struct ids *a, const struct ids *b, struct ids *ret);

/** Its place in the list. @return -1 when it is not there */
long ids_find(const struct ids *ids, uint64_t id);

/** Append in the form that ids_parse reads, ranges where they are. @is_in  by place: which to
 * write; NULL: all */
void ids_print(const struct ids *ids, const bool *is_in, struct text *ret);

/** Release and empty. NULL is accepted. */
void ids_fini(struct ids *ids);

#endif
