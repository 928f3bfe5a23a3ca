/* fake_root.c: folders that look like /sys and /proc of machines that are not here */
#include "rig/fake_root.h"

#include <assert.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void fake_put(const char *root, const char *path, const char *text)
{
	char full[512];

	snprintf(full, sizeof(full), "%s/%s", root, path);
	for (char *at = full + strlen(root) + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		mkdir(full, 0755);
		*at = '/';
	}

	FILE *file = fopen(full, "w");

	assert(file);
	fprintf(file, "%s\n", text);
	fclose(file);
}

static void fake_put_json(const char *root, const struct fake_file *file)
{
	char *text = strdup(file->text);

	assert(text);
	for (char *c = text; (c = strchr(c, '\''));)
		*c = '"';
	fake_put(root, file->path, text);
	free(text);
}

static char *fake_root_empty(char *root, size_t size)
{
	snprintf(root, size, "/tmp/m1top-test-XXXXXX");

	char *made = mkdtemp(root);

	assert(made);
	return made;
}

char *fake_root(char *root, size_t size, const struct fake_file *file)
{
	fake_root_empty(root, size);
	for (; file->path; file++)
		fake_put(root, file->path, file->text);
	return root;
}

char *fake_root_json(char *root, size_t size, const struct fake_file *file)
{
	fake_root_empty(root, size);
	for (; file->path; file++)
		fake_put_json(root, file);
	return root;
}

static int fake_unlink(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

void fake_root_remove(const char *root)
{
	nftw(root, fake_unlink, 8, FTW_DEPTH | FTW_PHYS);
}
