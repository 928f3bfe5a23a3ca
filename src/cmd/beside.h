/* beside.h: what is counted though nobody asked for it, because it costs nothing */
#ifndef CMD_BESIDE_H
#define CMD_BESIDE_H

#include "base/text.h"
#include "cmd/setup.h"

/**
 * Of the fixed pair (wishes_add_fixed_pair), those that -e does not ask for. Without -e and -M, and
 * with -P, nothing: then the whole set is what is wanted.
 *
 * @ret  names are appended, commas between
 */
void beside_names(const struct options *options, const struct setup *setup, struct text *ret);

#endif
