#include "discover/custom/custom.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "discover/kernel/workspace.h"

enum { MANY = 1000000 };

static int check_name(const char *name, struct err *err)
{
	static const char *const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					   "0123456789-_";

	if (!*name || name[strspn(name, allowed)] || strlen(name) >= ORIGIN_NAME_MAX)
		return err_set(err, EINVAL,
			       "\"%.60s\" is not a valid kernel name: use up to %d letters, "
			       "digits, - and _",
			       name, ORIGIN_NAME_MAX - 1);
	if (kernel_find(name))
		return err_set(err, EINVAL,
			       "a built-in kernel is named \"%s\": choose another name", name);
	return 0;
}

/* @name  NULL: "own" */
static int custom_new(const char *name, struct custom **ret, struct err *err)
{
	int rc = check_name(name ? name : "own", err);
	struct custom *custom = rc ? NULL : calloc(1, sizeof(*custom));

	if (!custom)
		return rc ? rc : err_set(err, ENOMEM, "out of memory");
	snprintf(custom->origin.name, sizeof(custom->origin.name), "%s", name ? name : "own");
	custom->kernel =
		(struct kernel){ .name = custom->origin.name, .triggers = 1, .n_max = MANY };
	*ret = custom;
	return 0;
}

void custom_free(struct custom *custom)
{
	if (!custom)
		return;
	if (custom->library)
		dlclose(custom->library);
	free(custom);
}

static int hand_over(struct custom *custom, int rc, struct custom **ret)
{
	if (rc)
		custom_free(custom);
	else
		*ret = custom;
	return rc;
}

static int try_programs(const struct programs *programs, const atomic_bool *stop, struct err *err)
{
	int rc = program_run(programs->trigger, 1, NULL, 0, NULL, stop, NULL, err);

	return rc ? rc : program_run(programs->control, 1, NULL, 0, NULL, stop, NULL, err);
}

/* Whatever a program does it does in the operating system as well: starting is most of it. */
int custom_of_programs(const char *name, const char *trigger, const char *control,
		       const atomic_bool *stop, struct custom **ret, struct err *err)
{
	struct custom *custom;
	int rc = custom_new(name, &custom, err);

	if (rc)
		return rc;
	rc = custom_origin_of_programs(custom->origin.name, trigger, control, &custom->origin, err);
	custom->programs = (struct programs){ custom->origin.trigger, custom->origin.control };
	custom->kernel.what = "a program of the user's";
	custom->kernel.programs = &custom->programs;
	custom->kernel.enters_system = true;
	if (!rc)
		rc = try_programs(&custom->programs, stop, err);
	return hand_over(custom, rc, ret);
}

/* The compiler reads the file by itself: what it found has to be what was hashed. */
static int check_unchanged(const struct custom *custom, const char *path, struct err *err)
{
	struct custom_origin now;
	int rc = custom_origin_of_assembly(custom->origin.name, path, &now, err);

	if (rc || !custom_origin_differs(&custom->origin, &now))
		return rc;
	return err_set(err, EINVAL, "%s: changed while it was compiled; try again", path);
}

int custom_of_assembly(const char *name, const char *path, const atomic_bool *stop,
		       struct custom **ret, struct err *err)
{
	struct custom *custom;
	int rc = custom_new(name, &custom, err);

	if (rc)
		return rc;
	rc = custom_origin_of_assembly(custom->origin.name, path, &custom->origin, err);
	custom->kernel.what = "assembly of the user's";
	custom->kernel.workspace = &workspace_buffer;
	if (!rc)
		rc = custom_load(custom, path, stop, err);
	if (!rc)
		rc = check_unchanged(custom, path, err);
	if (!rc)
		rc = custom_try(custom, path, stop, err);
	return hand_over(custom, rc, ret);
}
