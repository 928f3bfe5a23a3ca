#include "discover/custom/origin.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

/* Source: http://www.isthe.com/chongo/tech/comp/fnv */
#define FNV_BASIS UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

enum { ASSEMBLY_MAX = 64 << 20 };

static int keep(char *ret, const char *text, const char *what, struct err *err)
{
	if (strlen(text) >= ORIGIN_TEXT_MAX)
		return err_set(err, EINVAL, "%s of more than %d characters: %.40s…", what,
			       ORIGIN_TEXT_MAX - 1, text);
	snprintf(ret, ORIGIN_TEXT_MAX, "%s", text);
	return 0;
}

int custom_origin_of_programs(const char *name, const char *trigger, const char *control,
			      struct custom_origin *ret, struct err *err)
{
	struct custom_origin origin = { 0 };
	int rc = keep(origin.trigger, trigger, "a command", err);

	if (!rc)
		rc = keep(origin.control, control, "a command", err);
	if (rc)
		return rc;
	snprintf(origin.name, sizeof(origin.name), "%s", name);
	*ret = origin;
	return 0;
}

/* @return a descriptor; -errno */
static int open_file(const char *path, struct err *err)
{
	/* O_NONBLOCK: a FIFO must not hold us */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return err_set(err, errno, "%s: %s", path, strerror(errno));
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return err_set(err, EINVAL, "%s: not a regular file", path);
}

static int hash_file(const char *path, uint64_t *ret, struct err *err)
{
	AUTO_FD int fd = open_file(path, err);
	uint64_t hash = FNV_BASIS;
	unsigned char part[4096];
	size_t n_all = 0;
	ssize_t n;

	if (fd < 0)
		return fd;
	while ((n = read(fd, part, sizeof(part))) > 0 && n_all <= ASSEMBLY_MAX) {
		for (ssize_t i = 0; i < n; i++)
			hash = (hash ^ part[i]) * FNV_PRIME;
		n_all += (size_t)n;
	}
	if (n < 0)
		return err_set(err, errno, "%s: %s", path, strerror(errno));
	if (n)
		return err_set(err, EFBIG, "%s: more than %d MiB", path, ASSEMBLY_MAX >> 20);
	*ret = hash;
	return 0;
}

int custom_origin_of_assembly(const char *name, const char *path, struct custom_origin *ret,
			      struct err *err)
{
	AUTO_FREE char *whole = realpath(path, NULL);
	struct custom_origin origin = { 0 };
	int rc = keep(origin.assembly, whole ? whole : path, "a path", err);

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

static void add(const char *option, const char *value, struct text *ret)
{
	if (!*value)
		return;
	text_printf(ret, " --%s ", option);
	text_shell(ret, value);
}

void custom_origin_options(const struct custom_origin *origin, struct text *ret)
{
	if (strcmp(origin->name, "own") != 0)
		add("name", origin->name, ret);
	add("trigger", origin->trigger, ret);
	add("control", origin->control, ret);
	add("asm", origin->assembly, ret);
}
