#include "tui/settings_rows.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tui/model.h"

static const char all[] = "all", none[] = "none";

int settings_check_folded(const char *text, struct err *err)
{
	struct cpus clusters;

	if (strcmp(text, all) == 0 || strcmp(text, none) == 0 ||
	    cpus_parse(text, &clusters, NULL) == 0)
		return 0;
	return err_set(err, EINVAL, "must be all, none or numbers of clusters such as 0,3-5");
}

void settings_apply_folded(const char *text, struct model *model)
{
	struct cpus clusters;

	if (!*text)
		return;
	rows_fold_all(model, strcmp(text, all) == 0);
	if (cpus_parse(text, &clusters, NULL) < 0)
		return;
	cpus_each(&clusters, cluster)
		if (cluster < CORES_MAX)
			model->rows.folded[cluster / 64] |= UINT64_C(1) << cluster % 64;
	rows_make(model);
}

void settings_take_folded(const struct model *model, char *ret, size_t size)
{
	const struct machine *machine = model->machine;
	struct cpus clusters = { 0 };

	for (unsigned cluster = 0; cluster < machine->n_clusters; cluster++)
		if (rows_is_folded(model, cluster))
			cpus_add(&clusters, cluster);
	if (cpus_count(&clusters) == machine->n_clusters)
		snprintf(ret, size, "%s", all);
	else if (cpus_count(&clusters))
		cpus_format(&clusters, ret, size);
	else
		snprintf(ret, size, "%s", rows_begins_folded(model) ? none : "");
}

void settings_apply_filter(const char *text, struct model *model)
{
	rows_filter(model, text);
	if (!rows_n_cores(model))
		rows_filter(model, "");
}
