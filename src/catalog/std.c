#include "catalog/build.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"

static const char *name_of(const struct catalog_row *row)
{
	const char *event = row->value[FIELD_EVENT_NAME];

	return event ? event : row->value[FIELD_METRIC_NAME];
}

int catalog_keep_std(struct catalog_build *build, const struct catalog_row *row, struct err *err)
{
	struct catalog_row kept = { .file = "", .item = row->item };

	if (!name_of(row))
		return 0;
	for (enum catalog_field i = 0; i < N_FIELDS; i++) {
		const char *text = row->value[i];

		kept.value[i] = text ? catalog_keep_text(build, text, strlen(text)) : NULL;
	}
	if (array_append((void **)&build->std, &build->cap_std, &build->n_std, &kept, sizeof(kept)))
		return err_set(err, ENOMEM, "%s: out of memory", row->file);
	return 0;
}

/* The last one of a name counts, as in perf. */
static const struct catalog_row *find_std(const struct catalog_build *build, const char *name)
{
	for (size_t i = build->n_std; i-- > 0;)
		if (strcasecmp(name_of(&build->std[i]), name) == 0)
			return &build->std[i];
	return NULL;
}

int catalog_inherit(struct catalog_build *build, const struct catalog_row *row,
		    struct catalog_row *ret, struct err *err)
{
	const char *name = row->value[FIELD_ARCH_STD];

	*ret = *row;
	if (!name)
		return 0;

	const struct catalog_row *std = find_std(build, name);

	if (!std)
		return catalog_refuse(build, row, FIELD_ARCH_STD,
				      "not in the files of the architecture's folder", err);
	for (enum catalog_field i = 0; i < N_FIELDS; i++)
		if (!ret->value[i])
			ret->value[i] = std->value[i];
	return 0;
}
