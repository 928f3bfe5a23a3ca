#include "discover/custom.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "discover/kernel/workspace.h"
#include "discover/run/programs.h"

/* ---- origin ---- */

/* Source: http://www.isthe.com/chongo/tech/comp/fnv */
#define FNV_BASIS UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

enum { ASSEMBLY_MAX = 64 << 20 };

static int origin_keep(char *ret, const char *text, const char *what, struct err *err)
{
	if (strlen(text) >= ORIGIN_TEXT_MAX)
		return err_set(err, EINVAL, "%s of more than %d characters: %.40s…", what,
			       ORIGIN_TEXT_MAX - 1, text);
	snprintf(ret, ORIGIN_TEXT_MAX, "%s", text);
	return 0;
}

static int hash_file(const char *path, uint64_t *ret, struct err *err)
{
	AUTO_FREE char *bytes = NULL;
	size_t n = 0;
	struct stat st;
	int rc = stat(path, &st)        ? -errno
		 : !S_ISREG(st.st_mode) ? -EINVAL
					: file_read(path, ASSEMBLY_MAX, &bytes, &n);

	if (rc == -EINVAL)
		return err_set(err, EINVAL, "%s: not a regular file", path);
	if (rc == -EFBIG)
		return err_set(err, EFBIG, "%s: more than %d MiB", path, ASSEMBLY_MAX >> 20);
	if (rc)
		return err_set(err, -rc, "%s: %s", path, strerror(-rc));
	*ret = FNV_BASIS;
	for (size_t i = 0; i < n; i++)
		*ret = (*ret ^ (unsigned char)bytes[i]) * FNV_PRIME;
	return 0;
}

int custom_origin_of_assembly(const char *name, const char *path, struct custom_origin *ret,
			      struct err *err)
{
	AUTO_FREE char *whole = realpath(path, NULL);
	struct custom_origin origin = { 0 };
	int rc = origin_keep(origin.assembly, whole ? whole : path, "a path", err);

	if (!rc)
		rc = hash_file(path, &origin.hash, err);
	if (rc)
		return rc;
	snprintf(origin.name, sizeof(origin.name), "%s", name);
	*ret = origin;
	return 0;
}

bool custom_origin_differs(const struct custom_origin *a, const struct custom_origin *b)
{
	return *a->name && strcmp(a->name, b->name) == 0 &&
	       (strcmp(a->trigger, b->trigger) != 0 || strcmp(a->control, b->control) != 0 ||
		a->hash != b->hash);
}

static void origin_add(const char *option, const char *value, struct text *ret)
{
	if (!*value)
		return;
	text_printf(ret, " --%s ", option);
	text_shell(ret, value);
}

void custom_origin_options(const struct custom_origin *origin, struct text *ret)
{
	if (strcmp(origin->name, "own") != 0)
		origin_add("name", origin->name, ret);
	origin_add("trigger", origin->trigger, ret);
	origin_add("control", origin->control, ret);
	origin_add("asm", origin->assembly, ret);
}

/* ---- trial: the user's code first runs in a child, where it may crash or hang */

/* longest trial; slower code cannot be swept */
enum { LIMIT_S = 2 };

/* Code to try. */
typedef void custom_call(void *data);

struct call_trial {
	custom_call *call;
	void *data;
	bool *has_returned; /* shared with the child, as the code may exit with any status */
};

/* Run the code; a child_fn. */
static int custom_run(void *data)
{
	const struct call_trial *trial = data;

	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	trial->call(trial->data);
	*trial->has_returned = true;
	return 0;
}

static int custom_try_place(struct call_trial *trial, const char *place, const atomic_bool *stop,
			    struct err *err)
{
	pid_t pid = child_start(custom_run, trial);
	int status;

	if (pid < 0)
		return err_set(err, -pid, "fork: %s", strerror(-pid));

	int rc = child_wait(pid, stop, LIMIT_S * NS_PER_S, &status);

	if (rc == -ECANCELED)
		return err_set(err, ECANCELED, "stopped");
	if (rc == -ETIMEDOUT)
		return err_set(err, EINVAL, "%s does not return within %d s", place, LIMIT_S);
	if (rc)
		return err_set(err, -rc, "waitpid: %s", strerror(-rc));
	if (WIFSIGNALED(status))
		return err_set(err, EINVAL, "%s crashes: %s", place, strsignal(WTERMSIG(status)));
	return *trial->has_returned ? 0 : err_set(err, EINVAL, "%s ends the program", place);
}

/*
 * Call a function in a child.
 *
 * @place  description for messages: "PLACE crashes"
 * @return 0 if it returned; -EINVAL if it crashes, does not return or ends the process; -ECANCELED;
 *         -errno
 */
static int custom_try_call(custom_call *call, void *data, const char *place,
			   const atomic_bool *stop, struct err *err)
{
	bool *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct call_trial trial = { call, data, shared };

	if (shared == MAP_FAILED)
		return err_set(err, errno, "mmap: %s", strerror(errno));

	int rc = custom_try_place(&trial, place, stop, err);

	munmap(shared, sizeof(*shared));
	return rc;
}

struct code_trial {
	kernel_fn *code;
	uint64_t n;
	struct workspace *workspace;
};

/* Run a kernel; a custom_call. */
static void run_code(void *data)
{
	const struct code_trial *trial = data;

	workspace_prepare(trial->workspace, trial->n);
	trial->code(trial->n, workspace_memory(trial->workspace));
}

/*
 * Run the loaded functions with a few small n, in a child.
 *
 * @path   file name, for messages
 * @return 0; -EINVAL naming the one that crashes or does not return; -ECANCELED; -errno
 */
static int custom_try(const struct custom *custom, const char *path, const atomic_bool *stop,
		      struct err *err)
{
	static const uint64_t n[] = { 0, 1, 64 };
	kernel_fn *const code[2] = { custom->kernel.trigger, custom->kernel.control };
	struct workspace *workspace = NULL;
	int rc = workspace_new(&custom->kernel, 0, &workspace, err);

	for (unsigned i = 0; i < 2 * ARRAY_SIZE(n) && !rc; i++) {
		struct code_trial trial = { code[i % 2], n[i / 2], workspace };
		char place[400];

		snprintf(place, sizeof(place), "%.300s: its %s, with n = %" PRIu64 ",", path,
			 i % 2 ? "control" : "trigger", trial.n);
		rc = custom_try_call(run_code, &trial, place, stop, err);
	}
	workspace_free(workspace);
	return rc;
}

/* ---- assembly files: compiled, linked and loaded */

/* no C library: m1top itself provides what the code calls */
#define COMPILE "${CC:-cc} -shared -nostdlib -Wl,-z,noexecstack -o"

/* Private folder with the library in it. */
struct build_dir {
	char folder[PATH_MAX];
	char library[PATH_MAX + 16];
};

static int workshop_open(struct build_dir *ret, struct err *err)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(ret->folder, sizeof(ret->folder), "%s/m1top-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(ret->folder))
		return err_set(err, errno, "%s: %s", ret->folder, strerror(errno));
	snprintf(ret->library, sizeof(ret->library), "%s/kernel.so", ret->folder);
	return 0;
}

/* Quote one word for the shell, so that program_run finds no "{n}" in it. @before  prefix that
 * makes it neither an option nor an @file of the compiler */
static void quote(const char *word, const char *before, struct text *ret)
{
	text_printf(ret, " '%s", before);
	for (; *word; word++)
		text_printf(ret, *word == '\'' ? "%c\\''" : *word == '{' ? "%c''" : "%c", *word);
	text_printf(ret, "'");
}

/* Report the compiler's messages, without our line that repeats the command. */
static int custom_refused(const char *path, struct err *err)
{
	const struct err whole = *err;
	const char *words = strchr(whole.text, '\n');

	if (!words)
		return err_prefix(err, EINVAL, "%s: ", path);
	return err_set(err, EINVAL, "%s does not compile:%s", path, words);
}

static int compile(const char *path, const char *library, const atomic_bool *stop, struct err *err)
{
	AUTO_TEXT struct text command = { 0 };

	text_printf(&command, COMPILE);
	quote(library, "", &command);
	quote(path, *path == '/' ? "" : "./", &command);

	int rc = command.failed ? err_set(err, ENOMEM, "out of memory")
				: program_run(command.bytes, 0, NULL, 0, NULL, stop, NULL, err);

	return rc == -ECHILD ? custom_refused(path, err) : rc;
}

/* Find a function. ISO C cannot convert an object's address to a function's; POSIX allows this. */
static int custom_find(void *library, const char *path, const char *symbol, kernel_fn **ret,
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

/* Load and unload, which runs constructors and destructors; a custom_call. */
static void load_and_unload(void *data)
{
	void *library = dlopen(data, RTLD_NOW | RTLD_LOCAL);

	if (library)
		dlclose(library);
}

static int custom_load_library(struct custom *custom, const char *path, const char *library,
			       struct err *err)
{
	custom->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	if (!custom->library)
		return not_loaded(path, library, err);

	int rc = custom_find(custom->library, path, "trigger", &custom->kernel.trigger, err);

	return rc ? rc
		  : custom_find(custom->library, path, "control", &custom->kernel.control, err);
}

/* Compile and load, for custom_of_assembly; custom_free undoes it. */
static int custom_load(struct custom *custom, const char *path, const atomic_bool *stop,
		       struct err *err)
{
	struct build_dir build_dir = { "", "" };
	char place[400];

	if (access(path, R_OK))
		return err_set(err, errno, "%s: %s", path, strerror(errno));

	int rc = workshop_open(&build_dir, err);

	if (rc)
		return rc;
	rc = compile(path, build_dir.library, stop, err);
	snprintf(place, sizeof(place), "%.300s: while it is loaded or unloaded, its code", path);
	if (!rc)
		rc = custom_try_call(load_and_unload, build_dir.library, place, stop, err);
	if (!rc)
		rc = custom_load_library(custom, path, build_dir.library, err);
	unlink(build_dir.library);
	rmdir(build_dir.folder);
	return rc;
}

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

static int custom_hand_over(struct custom *custom, int rc, struct custom **ret)
{
	if (rc)
		custom_free(custom);
	else
		*ret = custom;
	return rc;
}

/* Make a kernel of two programs. It enters the operating system, as starting programs is most of its work. */
int custom_of_programs(const char *name, const char *trigger, const char *control,
		       const atomic_bool *stop, struct custom **ret, struct err *err)
{
	struct custom *custom;
	int rc = custom_new(name, &custom, err);

	if (rc)
		return rc;
	rc = origin_keep(custom->origin.trigger, trigger, "a command", err);
	if (!rc)
		rc = origin_keep(custom->origin.control, control, "a command", err);

	custom->programs = (struct programs){ custom->origin.trigger, custom->origin.control };
	custom->kernel.what = "a program of the user's";
	custom->kernel.programs = &custom->programs;
	custom->kernel.enters_system = true;
	if (!rc)
		rc = program_run(trigger, 1, NULL, 0, NULL, stop, NULL, err);
	if (!rc)
		rc = program_run(control, 1, NULL, 0, NULL, stop, NULL, err);
	return custom_hand_over(custom, rc, ret);
}

/* Check that the file is still what was hashed, as the compiler reads it by itself. */
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
	return custom_hand_over(custom, rc, ret);
}
