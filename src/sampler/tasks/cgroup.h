/* cgroup.h: cgroups by the ids of the kernel, for the attribution: collector thread only */
#ifndef SAMPLER_TASKS_CGROUP_H
#define SAMPLER_TASKS_CGROUP_H

#include "base/hash.h"
#include "sampler/tasks.h"

/** Cgroups by the id that the kernel gives them; `{ 0 }` is empty. */
struct cgroup_ids {
	struct cgroup_life {
		uint64_t id, from_ns; /* time from which on the id means this cgroup */
		const struct cgroup *cgroup;
	} * life;
	size_t n, cap;
	struct hash by_id; /* numbers of lives */
};

/** Add a cgroup that has this id from a time on. */
void cgroup_ids_add(struct cgroup_ids *ids, uint64_t id, uint64_t from_ns, const char *path);

/** Find the cgroup that had the id at t_ns. @return NULL: not known */
const struct cgroup *cgroup_ids_find(const struct cgroup_ids *ids, uint64_t id, uint64_t t_ns);

/** Forget all. */
void cgroup_ids_clear(struct cgroup_ids *ids);

#endif
