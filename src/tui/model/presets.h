/* presets.h: the presets of a machine's core types without duplicates, and their state */
#ifndef TUI_MODEL_PRESETS_H
#define TUI_MODEL_PRESETS_H

#include <stdbool.h>

#include "pmu/machine.h"

struct preset {
	const struct catalog_preset *known; /* preset of the first core type that has it */
	bool is_ticked;                     /* included in the rotation */
	bool is_refused;                    /* an attempt to count it failed */
};

struct presets {
	struct preset *preset; /* in file order */
	unsigned n;
};

/** List the presets. @return 0 or -ENOMEM */
int presets_make(const struct machine *machine, struct presets *ret);

/** Release the presets. NULL is accepted. */
void presets_fini(struct presets *presets);

/** Find a preset by name. @return -1: none */
int presets_find(const struct presets *presets, const char *name);

/** Count the ticked presets. */
unsigned presets_n_ticked(const struct presets *presets);

/**
 * Get the next preset of the rotation: a ticked one, or if none is ticked any that is not a variant
 * (catalog_is_variant); refused presets are skipped.
 *
 * @at     current preset, -1: none
 * @return -1: there is no other
 */
int presets_next(const struct presets *presets, int at);

#endif
