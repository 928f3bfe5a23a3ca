#include "tui/model/presets.h"

#include <errno.h>
#include <stdlib.h>

#include "base/ascii.h"

int presets_find(const struct presets *presets, const char *name)
{
	for (unsigned i = 0; i < presets->n; i++)
		if (ascii_casecmp(presets->preset[i].known->name, name) == 0)
			return (int)i;
	return -1;
}

int presets_make(const struct machine *machine, struct presets *ret)
{
	struct presets presets = { 0 };
	size_t n = 0;

	for (unsigned type = 0; type < machine->n_types; type++)
		n += machine->type[type].catalog->n_presets;
	presets.preset = calloc(n + 1, sizeof(*presets.preset));
	if (!presets.preset)
		return -ENOMEM;
	for (unsigned type = 0; type < machine->n_types; type++)
		for (size_t i = 0; i < machine->type[type].catalog->n_presets; i++) {
			const struct catalog_preset *known =
				&machine->type[type].catalog->preset[i];

			if (presets_find(&presets, known->name) < 0)
				presets.preset[presets.n++].known = known;
		}
	*ret = presets;
	return 0;
}

void presets_fini(struct presets *presets)
{
	if (!presets)
		return;
	free(presets->preset);
	*presets = (struct presets){ 0 };
}

unsigned presets_n_ticked(const struct presets *presets)
{
	unsigned n = 0;

	for (unsigned i = 0; i < presets->n; i++)
		n += presets->preset[i].is_ticked;
	return n;
}

int presets_next(const struct presets *presets, int at)
{
	bool is_any = presets_n_ticked(presets) == 0;

	for (unsigned i = 1; i <= presets->n; i++) {
		unsigned next = (unsigned)(at + (int)i) % presets->n;
		const struct preset *preset = &presets->preset[next];

		bool is_usual = is_any && !catalog_is_variant(preset->known->group);

		if ((int)next != at && !preset->is_refused && (is_usual || preset->is_ticked))
			return (int)next;
	}
	return -1;
}
