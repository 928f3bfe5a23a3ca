/* golden.c: comparison of text with a golden file */
#include "rig/golden.h"

#include <stdlib.h>
#include <string.h>

/* Read a whole file of up to 64 KiB. @return allocated text, empty if there is no such file */
static char *golden_read(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = calloc(1, 1 << 16);

	assert_non_null(text);
	if (file) {
		text[fread(text, 1, (1 << 16) - 1, file)] = '\0';
		fclose(file);
	}
	return text;
}

void check_golden(const char *name, const struct text *got)
{
	char path[128];

	snprintf(path, sizeof(path), "tests/formats/%s.txt", name);
	if (getenv("BLESS")) {
		FILE *file = fopen(path, "w");

		assert_non_null(file);
		fwrite(got->bytes, 1, got->n, file);
		fclose(file);
	}

	char *expected = golden_read(path);

	if (strcmp(expected, got->bytes) != 0)
		fail_msg("%s differs; this came out:\n%s", path, got->bytes);
	free(expected);
}
