/* list.h: what the kinds of `m1top list` share */
#ifndef CMD_LIST_LIST_H
#define CMD_LIST_LIST_H

#include "base/text.h"
#include "cmd/shared/listing.h"
#include "cmd/shared/setup.h"

struct list {
	const struct options *options;
	const char *pattern; /* NULL: everything */
	bool only_names;     /* to complete a word: of what can be counted, and as fast as can be */
	struct backend *backend; /* NULL: the kind needs none */
	struct event_table *events;
	struct listing listing;
	unsigned n_folded; /* rows that were left out, see list_is_folded */
};

/**
 * Is a row picked by the cells that hold names or descriptions: by a pattern with * or ?, or, as in
 * the event picker, by words that are all there?
 *
 * @cell  up to NULL
 */
bool list_matches(const struct list *list, const char *const *cell);

/** Is a row left out because nobody asked for this group: by a pattern, or by a program? It is counted. */
bool list_is_folded(struct list *list, const char *group);

/** Append items, up to NULL, with something between them. */
void list_join(const char *const *item, const char *between, struct text *out);

/** What was written; "" when memory ran out. */
const char *list_bytes(const struct text *text);

/** Does a type have the thing that another type's catalogue lists? */
typedef bool list_has_fn(const struct list *list, unsigned type, const void *thing);

/** Append the types that have it: "E,P"; nothing when one before `from` had it already. */
void list_types(const struct list *list, unsigned from, list_has_fn *has, const void *thing,
		struct text *out);

/** m1top list. @return exit status */
int list_run(const struct options *options);

/**
 * What a word may be completed to: rows of what can be counted here.
 *
 * @kind     "events" or "event"
 * @pattern  as `m1top list` takes it; NULL: everything
 * @ret      with the headings of the kind; release with listing_fini
 * @return   0 or a negative errno, and then there are no rows
 */
int list_names(const struct options *options, const char *kind, const char *pattern,
	       struct listing *ret, struct err *err);

/** The rows of `m1top list events`. */
void list_events(struct list *list);

/** Those of `m1top list events --truth`; the backend is sim:hidden. */
void list_truth(struct list *list);

#endif
