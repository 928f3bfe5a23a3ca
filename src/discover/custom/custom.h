/* custom.h: a kernel that a user brings: two programs, or an assembly file */
#ifndef DISCOVER_CUSTOM_CUSTOM_H
#define DISCOVER_CUSTOM_CUSTOM_H

#include "discover/kernel/kernel.h"
#include "discover/custom/origin.h"
#include "discover/run/programs.h"

/** Owned by whom it was made for, together with its kernel. */
struct custom {
	struct kernel kernel;
	struct programs programs;
	void *library; /* of assembly; NULL */
	struct custom_origin origin;
};

/**
 * Two programs. Each is run once, with one trigger.
 *
 * @name     as reports show it: letters, digits, - and _; NULL: "own"
 * @trigger, @control  as in struct programs
 * @stop     set by another thread: the trial ends; NULL: nobody does
 * @ret      custom_free
 * @return   0; -EINVAL for a name that is none, or a built-in kernel's; as custom_origin_of_programs and
 *           program_run
 */
int custom_of_programs(const char *name, const char *trigger, const char *control,
		       const atomic_bool *stop, struct custom **ret, struct err *err);

/**
 * An assembly file with the functions `trigger` and `control`, each a kernel_fn, compiled with
 * ${CC:-cc}. Their memory is a struct workspace_view with a line of zeroes to load from and store to.
 * Both are tried in a process of their own first.
 *
 * @return 0; as custom_of_programs; -EINVAL with the compiler's words, or the symbol that is missing, or
 *         where the file changed meanwhile; as custom_origin_of_assembly and custom_try
 */
int custom_of_assembly(const char *name, const char *path, const atomic_bool *stop,
		       struct custom **ret, struct err *err);

/** NULL is accepted. */
void custom_free(struct custom *custom);

/** Compile and load: the second half of custom_of_assembly, which custom_free takes back. */
int custom_load(struct custom *custom, const char *path, const atomic_bool *stop, struct err *err);

/**
 * Run what was loaded with a few small n, in a child.
 *
 * @path   of the file, for messages
 * @return 0; -EINVAL it crashes or does not return, saying which; -ECANCELED; -errno
 */
int custom_try(const struct custom *custom, const char *path, const atomic_bool *stop,
	       struct err *err);

#endif
