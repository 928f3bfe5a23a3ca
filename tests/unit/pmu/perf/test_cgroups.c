/* Which hierarchy has the cgroups that records name, and what is in it: of both versions, a part of one, none at all. */
#include <stdlib.h>
#include <sys/stat.h>

#include "base/text.h"
#include "pmu/perf/perf.h"
#include "rig/harness.h"

static char root[] = "/tmp/m1top-cgroups-XXXXXX";

static void make(const char *format, const char *argument)
{
	char command[1024], text[512];

	snprintf(text, sizeof(text), "%s%s", format, argument);
	snprintf(command, sizeof(command), "cd %s && %s", root, text);
	assert_int_equal(system(command), 0);
}

/* @mountinfo  lines, with \n for a new line */
static void mount(const char *mountinfo)
{
	char command[900];

	snprintf(command, sizeof(command), "mkdir -p proc/self && printf '%s' >proc/self/mountinfo",
		 mountinfo);
	make(command, "");
}

struct found {
	struct text paths;
	unsigned n;
};

static void take_note(void *data, const struct task_note *note)
{
	struct found *found = data;
	char path[600], *at;
	struct stat st;

	assert_int_equal(note->kind, NOTE_CGROUP);
	assert_int_equal(note->t_ns, 0);
	/* the id is the inode of its directory, wherever that is mounted */
	for (unsigned i = 0; i < 3; i++) {
		static const char *const below[] = { "v2", "v1", "part" };

		at = strncmp(note->path, "/sub", 4) == 0 ? (char *)note->path + 4
							 : (char *)note->path;
		snprintf(path, sizeof(path), "%s/%s%s", root, below[i], at);
		if (!stat(path, &st) && st.st_ino == note->cgroup)
			found->n++;
	}
	text_printf(&found->paths, "%s ", note->path);
}

static void assert_found(const char *wanted, unsigned n)
{
	static struct perf perf;
	struct found found = { .n = 0 };

	snprintf(perf.root, sizeof(perf.root), "%s", root);
	perf_cgroups(&perf.base, &(struct switch_sink){ .data = &found, .take_note = take_note });
	assert_string_equal(found.paths.n ? found.paths.bytes : "", wanted);
	assert_int_equal(found.n, n);
	text_fini(&found.paths);
}

static void the_mount_of_the_controller(void **state)
{
	struct err err = { "" };

	(void)state;
	make("mkdir -p v2/a/b v1/c part/d; touch v2/a/cgroup.procs", "");
	mount("30 1 0:1 / / rw - ext4 /dev/x rw\\n");
	assert_found("", 0);
	if (perf_cgroups_check(root, &err) == -ENOENT)
		assert_non_null(strstr(err.text, "mount -t cgroup2"));
	mount("30 1 0:1 / /v2 rw shared:4 - cgroup2 cgroup2 rw\\n");
	assert_found("/ /a /a/b ", 3);
	/* version 1 of other controllers, then of this one */
	mount("30 1 0:1 / /v1 rw - cgroup cgroup rw,cpu\\n31 1 0:1 / /v2 rw - cgroup2 cgroup2 "
	      "rw\\n");
	assert_found("/ /a /a/b ", 3);
	mount("31 1 0:1 / /v2 rw - cgroup2 none rw\\n30 1 0:1 / /v1 rw - cgroup cgroup "
	      "rw,net_cls,perf_event\\n");
	assert_found("/ /c ", 2);
	/* a part of the hierarchy; the top of another namespace */
	mount("31 1 0:1 /sub /part rw - cgroup2 cgroup2 rw\\n");
	assert_found("/sub /sub/d ", 2);
	mount("31 1 0:1 /../.. /part rw - cgroup2 cgroup2 rw\\n");
	assert_found("/ /d ", 2);
	make("rm -r ", root);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(the_mount_of_the_controller) };

	if (!mkdtemp(root))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
