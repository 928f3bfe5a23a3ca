/* beside.h: what stat counts though nobody asked for it */
#ifndef CMD_STAT_BESIDE_H
#define CMD_STAT_BESIDE_H

#include "base/text.h"
#include "cmd/shared/setup.h"

/**
 * Events that are counted because it costs nothing: of the fixed pair (event_request_add_fixed_pair), those
 * that -e does not ask for. Without -e and -M, and with -P, none: then the whole set is what is wanted.
 *
 * @ret  their names, commas between, are appended
 */
void beside_events(const struct options *options, const struct setup *setup, struct text *ret);

#endif
