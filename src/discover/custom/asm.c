/* An assembly file on its way into the program: compiled, linked and loaded. */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/text.h"
#include "discover/custom/custom.h"

/* No C library: what the code calls is found in m1top itself when it is loaded. */
#define COMPILE "${CC:-cc} -shared -nostdlib -Wl,-z,noexecstack -o"

/* A folder that nobody else can look into, with the library in it. */
struct workshop {
	char folder[PATH_MAX];
	char library[PATH_MAX + 16];
};

static int workshop_open(struct workshop *ret, struct err *err)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(ret->folder, sizeof(ret->folder), "%s/m1top-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(ret->folder))
		return err_set(err, errno, "%s: %s", ret->folder, strerror(errno));
	snprintf(ret->library, sizeof(ret->library), "%s/kernel.so", ret->folder);
	return 0;
}

static void workshop_close(const struct workshop *workshop)
{
	unlink(workshop->library);
	rmdir(workshop->folder);
}

/* One word for the shell, in which program_run finds no "{n}" to fill in. */
static void quote(const char *word, struct text *ret)
{
	text_printf(ret, " '");
	for (; *word; word++)
		text_printf(ret, *word == '\'' ? "%c\\''" : *word == '{' ? "%c''" : "%c", *word);
	text_printf(ret, "'");
}

/* The compiler's own words, behind the line of ours that repeats the command. */
static int refused(const char *path, struct err *err)
{
	const struct err whole = *err;
	const char *words = strchr(whole.text, '\n');

	if (!words)
		return err_prefix(err, EINVAL, "%s: ", path);
	return err_set(err, EINVAL, "%s does not compile:%s", path, words);
}

static int compile(const char *path, const char *library, const atomic_bool *stop, struct err *err)
{
	struct text command = { 0 };
	int rc;

	text_printf(&command, COMPILE);
	quote(library, &command);
	quote(path, &command);
	rc = command.failed ? err_set(err, ENOMEM, "out of memory")
			    : program_run(command.bytes, 0, NULL, 0, NULL, stop, NULL, err);
	text_fini(&command);
	return rc == -ECHILD ? refused(path, err) : rc;
}

/* ISO C has no way from an object's address to a function's; POSIX has this one. */
static int find(void *library, const char *path, const char *symbol, kernel_fn **ret,
		struct err *err)
{
	void *address = dlsym(library, symbol);

	if (!address)
		return err_set(err, EINVAL, "%s: no function \"%s\": .globl %s exports it", path,
			       symbol, symbol);
	memcpy(ret, &address, sizeof(*ret));
	return 0;
}

static int not_loaded(const char *path, const char *library, struct err *err)
{
	struct statvfs on;

	if (!statvfs(library, &on) && on.f_flag & ST_NOEXEC)
		return err_set(err, EINVAL,
			       "%s: programs may not run from $TMPDIR: set it to another folder "
			       "(%s)",
			       path, dlerror());
	return err_set(err, EINVAL,
		       "%s: the compiled file cannot be loaded: is it assembly with the functions "
		       "trigger and control? (%s)",
		       path, dlerror());
}

static int load(struct custom *custom, const char *path, const char *library, struct err *err)
{
	custom->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	if (!custom->library)
		return not_loaded(path, library, err);

	int rc = find(custom->library, path, "trigger", &custom->kernel.trigger, err);

	return rc ? rc : find(custom->library, path, "control", &custom->kernel.control, err);
}

int custom_load(struct custom *custom, const char *path, const atomic_bool *stop, struct err *err)
{
	struct workshop workshop = { "", "" };
	int rc;

	if (access(path, R_OK))
		return err_set(err, errno, "%s: %s", path, strerror(errno));
	rc = workshop_open(&workshop, err);
	if (rc)
		return rc;
	rc = compile(path, workshop.library, stop, err);
	if (!rc)
		rc = load(custom, path, workshop.library, err);
	workshop_close(&workshop);
	return rc;
}
