/* cgroup.h: control groups by path: one object each, until the program ends; and their ids */
#ifndef SAMPLER_TASKS_CGROUP_H
#define SAMPLER_TASKS_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

/** A cgroup; two that have one path one after the other are the same. Constant. */
struct cgroup {
	const struct cgroup *parent; /* NULL: the root */
	unsigned depth;              /* number of those above it */
	const char *path; /* "/a.slice/b.scope"; printable UTF-8; "[ID]" without a known path */
	const char *name; /* last part as users know it: "b", the name of a container */
};

/** Cgroup of a task whose cgroup is not known. */
extern const struct cgroup cgroup_unknown;

/**
 * Get the cgroup of a path. Beyond 64 MiB of paths a new one is the nearest known one above it.
 * Any thread.
 *
 * @path  untrusted; shown as utf8_copy does
 */
const struct cgroup *cgroup_get(const char *path);

/** Get the cgroup whose path is shown so. Any thread. */
const struct cgroup *cgroup_of_shown(const char *path);

/** Whether it is `above`, or below that. */
bool cgroup_is_in(const struct cgroup *cgroup, const struct cgroup *above);

/** Compare by path, so that what is below a cgroup follows it. @return as strcmp */
int cgroup_compare(const struct cgroup *a, const struct cgroup *b);

/** Write the path as users know it, "/a/b", cut to fit. @return buf */
const char *cgroup_names(const struct cgroup *cgroup, char *buf, size_t size);

/** Write it in so many columns: "…" for its beginning if it is longer. @return buf */
const char *cgroup_names_fit(const struct cgroup *cgroup, int width, char *buf, size_t size);

/** Read the names of the containers that docker and podman have, as far as this user may: later m1top
 * has fewer rights. Main thread, before the first cgroup_get of a running machine. */
void cgroup_read_containers(void);

/** Get the name of the container that the cgroup is, or is in. Any thread. @return NULL: none, or not known */
const char *cgroup_container(const struct cgroup *cgroup);

/** Name the container whose id is in a path, unless it has a name. Any thread, before the first cgroup_get of the
 * path. @name  as cgroup_container returned it; untrusted */
void cgroup_name_container(const char *path, const char *name);

/* ---- ids, for the attribution: collector thread only */

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
