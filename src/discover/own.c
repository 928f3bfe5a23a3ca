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

	if (!*name || name[strspn(name, allowed)] || strlen(name) >= sizeof((struct own){ 0 }.name))
		return err_set(err, EINVAL,
			       "\"%.60s\" is no name for a kernel: up to %zu letters, digits, - "
			       "and _",
			       name, sizeof((struct own){ 0 }.name) - 1);
	if (kernel_find(name))
		return err_set(err, EINVAL, "a built-in kernel is called \"%s\": take another name",
			       name);
	return 0;
}

static int own_new(const char *name, struct own **ret, struct err *err)
{
	struct own *own;
	int rc = check_name(name ? name : "own", err);

	if (rc)
		return rc;
	own = calloc(1, sizeof(*own));
	if (!own)
		return err_set(err, ENOMEM, "out of memory");
	snprintf(own->name, sizeof(own->name), "%s", name ? name : "own");
	own->kernel = (struct kernel){ .name = own->name, .triggers = 1, .n_max = MANY };
	*ret = own;
	return 0;
}

void own_free(struct own *own)
{
	if (!own)
		return;
	if (own->library)
		dlclose(own->library);
	free(own);
}

/* Whatever a program does it does in the operating system as well: starting is most of it. */
int own_of_programs(const char *name, const char *trigger, const char *control, struct own **ret,
		    struct err *err)
{
	struct own *own;
	int rc = own_new(name, &own, err);

	if (rc)
		return rc;
	own->programs = (struct programs){ trigger, control };
	own->kernel.what = "a program of the user's";
	own->kernel.programs = &own->programs;
	own->kernel.enters_system = true;
	rc = program_run(trigger, 1, NULL, NULL, NULL, NULL, err);
	if (!rc)
		rc = program_run(control, 1, NULL, NULL, NULL, NULL, err);
	if (rc) {
		own_free(own);
		return rc;
	}
	*ret = own;
	return 0;
}

int own_of_assembly(const char *name, const char *path, struct own **ret, struct err *err)
{
	struct own *own;
	int rc = own_new(name, &own, err);

	if (rc)
		return rc;
	own->kernel.what = "assembly of the user's";
	own->kernel.workspace = &workspace_buffer;
	rc = own_load(own, path, err);
	if (rc) {
		own_free(own);
		return rc;
	}
	*ret = own;
	return 0;
}
