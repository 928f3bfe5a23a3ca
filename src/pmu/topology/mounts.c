/* mounts.c: where the kernel's own file systems are mounted. Source: proc_pid_mountinfo(5) */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "pmu/machine.h"

/* @type  of the file system, its source and options @return how well it fits what is looked for; 0: not at all */
typedef int fit_fn(const char *type, const char *wanted);

enum { FITS_NOT, FITS, FITS_BEST };

static int is_tracefs(const char *type, const char *unused)
{
	(void)unused;
	return strncmp(type, "tracefs ", 8) == 0 ? FITS_BEST : FITS_NOT;
}

/* Version 2 may have every controller; version 1, which names them as options, comes before it. */
static int has_controller(const char *type, const char *controller)
{
	if (strncmp(type, "cgroup2 ", 8) == 0)
		return FITS;
	return strncmp(type, "cgroup ", 7) == 0 && text_has_item(strrchr(type, ' ') + 1, controller)
		       ? FITS_BEST
		       : FITS_NOT;
}

static void read_mount(const char *line, struct mount *ret)
{
	enum { ROOT_AT = 3 };
	char word[PATH_MAX];

	for (unsigned i = 0; i < ROOT_AT; i++)
		text_next_word(&line, word, sizeof(word));
	text_next_word(&line, ret->prefix, sizeof(ret->prefix));
	text_next_word(&line, ret->at, sizeof(ret->at));
	/* the root itself, or above that of this cgroup namespace */
	if (!ret->prefix[1] || strstr(ret->prefix, ".."))
		ret->prefix[0] = '\0';
}

/* Find the first mount of those that fit best. @return 0 or -ENOENT */
static int find_mount(const char *root, fit_fn *fit, const char *wanted, struct mount *ret)
{
	char path[PATH_MAX];
	AUTO_FREE char *line = NULL;
	size_t size = 0;
	int best = FITS_NOT;

	snprintf(path, sizeof(path), "%s/proc/self/mountinfo", root ? root : "");

	AUTO_FILE FILE *file = fopen(path, "re");

	while (file && best != FITS_BEST && getline(&line, &size, file) >= 0) {
		const char *type = strstr(line, " - ");

		line[strcspn(line, "\n")] = '\0';

		int fits = type ? fit(type + 3, wanted) : FITS_NOT;

		if (fits > best) {
			best = fits;
			read_mount(line, ret);
		}
	}
	return best ? 0 : -ENOENT;
}

int mount_of_tracefs(const char *root, struct mount *ret)
{
	return find_mount(root, is_tracefs, NULL, ret);
}

int mount_of_cgroups(const char *root, const char *controller, struct mount *ret)
{
	return find_mount(root, has_controller, controller, ret);
}
