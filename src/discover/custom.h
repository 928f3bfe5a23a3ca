/* custom.h: a user's kernel: two programs, or an assembly file; its origin tells kernels of the same name apart */
#ifndef DISCOVER_CUSTOM_H
#define DISCOVER_CUSTOM_H

#include <stdatomic.h>

#include "base/text.h"
#include "discover/kernel.h"

enum { ORIGIN_NAME_MAX = 32, ORIGIN_TEXT_MAX = 1024 };

/** Origin; a value: two commands or a file; zero is unknown. */
struct custom_origin {
	char name[ORIGIN_NAME_MAX];
	char trigger[ORIGIN_TEXT_MAX], control[ORIGIN_TEXT_MAX];
	char assembly[ORIGIN_TEXT_MAX]; /* absolute path */
	uint64_t hash;                  /* 64-bit FNV-1a of the file's contents */
};

/** Set a file and its hash; never waits. @return 0; -EINVAL if the path is too long or not a
 * regular file; -EFBIG; -errno of reading it */
int custom_origin_of_assembly(const char *name, const char *path, struct custom_origin *ret,
			      struct err *err);

/** Whether both are known, have the same name and differ. */
bool custom_origin_differs(const struct custom_origin *a, const struct custom_origin *b);

/** Append the options that specify it, for the shell: " --trigger 'seq {n}' --control true". */
void custom_origin_options(const struct custom_origin *origin, struct text *ret);

/** User's kernel; the caller owns it. */
struct custom {
	struct kernel kernel;
	struct programs programs;
	void *library; /* for assembly; NULL */
	struct custom_origin origin;
};

/**
 * Make a kernel of two programs; each is run once with one trigger.
 *
 * @name     name in reports: letters, digits, - and _; NULL: "own"
 * @trigger, @control  as in struct programs
 * @stop     set by another thread to end the trial; NULL: never
 * @ret      custom_free
 * @return   0; -EINVAL for an invalid name or a built-in kernel's; as custom_origin_of_programs and
 *           program_run
 */
int custom_of_programs(const char *name, const char *trigger, const char *control,
		       const atomic_bool *stop, struct custom **ret, struct err *err);

/**
 * Make a kernel of an assembly file with the functions `trigger` and `control`, each a kernel_fn,
 * compiled with ${CC:-cc}. Their memory is a struct workspace_view with a line of zeroes to load
 * from and store to. Both are first tried in a child process.
 *
 * @return 0; as custom_of_programs; -EINVAL with the compiler's messages, or the missing symbol, or
 *         if the file changed meanwhile; as custom_origin_of_assembly and custom_try
 */
int custom_of_assembly(const char *name, const char *path, const atomic_bool *stop,
		       struct custom **ret, struct err *err);

/** Free the kernel; NULL is accepted. */
void custom_free(struct custom *custom);

#endif
