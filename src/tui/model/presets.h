/* presets.h: the presets of a machine's core types, each once, and what is remembered of each */
#ifndef TUI_MODEL_PRESETS_H
#define TUI_MODEL_PRESETS_H

#include <stdbool.h>

#include "machine/machine.h"

struct preset {
	const struct catalog_preset *known; /* of the first type that has it */
	bool is_ticked;                     /* for the rotation */
	bool is_refused;                    /* it could not be counted when it was tried */
};

struct presets {
	struct preset *preset; /* in the order of the files */
	unsigned n;
};

/** @return 0 or -ENOMEM */
int presets_make(const struct machine *machine, struct presets *ret);

/** Release. NULL is accepted. */
void presets_fini(struct presets *presets);

/** Which one has this name. @return -1: none */
int presets_find(const struct presets *presets, const char *name);

/** How many are ticked. */
unsigned presets_n_ticked(const struct presets *presets);

/**
 * The next one to rotate to: of those that are ticked, or of all when none is, but for variants of
 * others (catalog_is_variant); none that was refused.
 *
 * @at     the present one, -1: none
 * @return -1 when there is no other
 */
int presets_next(const struct presets *presets, int at);

#endif
