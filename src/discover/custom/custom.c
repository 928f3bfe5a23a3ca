#include "discover/own.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "discover/workspace.h"

enum { MANY = 1000000 };

static int check_name(const char *name, struct err *err)
{
	static const char *const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					   "0123456789-_";

	if (!*name || name[strspn(name, allowed)] || strlen(name) >= ORIGIN_NAME_MAX)
		return err_set(err, EINVAL,
			       "\"%.60s\" is no name for a kernel: up to %d letters, digits, - "
			       "and _",
			       name, ORIGIN_NAME_MAX - 1);
	if (kernel_find(name))
		return err_set(err, EINVAL, "a built-in kernel is called \"%s\": take another name",
			       name);
	return 0;
}

static struct own *own_new(const struct own_origin *origin)
{
	struct own *own = calloc(1, sizeof(*own));

	if (!own)
		return NULL;
	own->origin = *origin;
	own->kernel = (struct kernel){ .name = own->origin.name, .triggers = 1, .n_max = MANY };
	return own;
}

void own_free(struct own *own)
{
	if (!own)
		return;
	if (own->library)
		dlclose(own->library);
	free(own);
}

static int try_programs(const struct programs *programs, const atomic_bool *stop, struct err *err)
{
	int rc = program_run(programs->trigger, 1, NULL, NULL, stop, NULL, err);

	return rc ? rc : program_run(programs->control, 1, NULL, NULL, stop, NULL, err);
}

/* Whatever a program does it does in the operating system as well: starting is most of it. */
int own_of_programs(const char *name, const char *trigger, const char *control,
		    const atomic_bool *stop, struct own **ret, struct err *err)
{
	struct own_origin origin;
	struct own *own;
	int rc = check_name(name ? name : "own", err);

	if (!rc)
		rc = own_origin_of_programs(name ? name : "own", trigger, control, &origin, err);
	if (rc)
		return rc;
	own = own_new(&origin);
	if (!own)
		return err_set(err, ENOMEM, "out of memory");
	own->programs = (struct programs){ own->origin.trigger, own->origin.control };
	own->kernel.what = "a program of the user's";
	own->kernel.programs = &own->programs;
	own->kernel.enters_system = true;
	rc = try_programs(&own->programs, stop, err);
	if (rc) {
		own_free(own);
		return rc;
	}
	*ret = own;
	return 0;
}

/* The compiler reads the file by itself: what it found has to be what was hashed. */
static int check_unchanged(const struct own *own, const char *path, struct err *err)
{
	struct own_origin now;
	int rc = own_origin_of_assembly(own->origin.name, path, &now, err);

	if (rc || !own_origin_differs(&own->origin, &now))
		return rc;
	return err_set(err, EINVAL, "%s: changed while it was compiled: try again", path);
}

int own_of_assembly(const char *name, const char *path, const atomic_bool *stop, struct own **ret,
		    struct err *err)
{
	struct own_origin origin;
	struct own *own;
	int rc = check_name(name ? name : "own", err);

	if (!rc)
		rc = own_origin_of_assembly(name ? name : "own", path, &origin, err);
	if (rc)
		return rc;
	own = own_new(&origin);
	if (!own)
		return err_set(err, ENOMEM, "out of memory");
	own->kernel.what = "assembly of the user's";
	own->kernel.workspace = &workspace_buffer;
	rc = own_load(own, path, stop, err);
	if (!rc)
		rc = check_unchanged(own, path, err);
	if (!rc)
		rc = own_try(own, path, stop, err);
	if (rc) {
		own_free(own);
		return rc;
	}
	*ret = own;
	return 0;
}
