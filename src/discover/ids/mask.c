#include "discover/ids/mask.h"

#include <errno.h>

#include "discover/ids/mask_ways.h"

int mask_tell(const struct mask_search *search, size_t done, size_t all, struct err *err)
{
	if (search->progress && !search->progress(search->context, done, all))
		return err_set(err, ECANCELED, "stopped");
	return 0;
}

int mask_find(struct backend *backend, unsigned core, const uint64_t *id, size_t n,
	      mask_progress_fn *progress, void *context, struct mask *ret, struct err *err)
{
	const struct core_type *type = &backend->machine.type[backend->machine.core[core].type];
	const struct mask_search search = { backend, core, type, id, n, progress, context };

	if (!type->pmu)
		return err_set(err, ENODEV, "%s cores have no hardware counters", type->name);
	for (size_t i = 0; i < n; i++)
		ret[i] = (struct mask){ .source = MASK_UNKNOWN };
	if (backend->ops->accepts)
		return mask_by_driver(&search, ret, err);
	if (type->slot_is_counter)
		return mask_by_counting(&search, ret, err);
	return 0;
}
