/* Any bytes as a file of events, metrics and presets: read as a CPU's catalogue, then checked with
 * strict rules; its metrics compiled. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "metrics/metrics.h"
#include "rig/catalog_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

static char root[] = "/dev/shm/m1top-fuzz-XXXXXX", file[128];

static void clean_up(void)
{
	static const char *const path[] = { "arm64/cpu/x.json", "arm64/mapfile.csv", "arm64/cpu",
					    "arm64", "" };
	char full[128];

	for (size_t i = 0; i < sizeof(path) / sizeof(path[0]); i++) {
		snprintf(full, sizeof(full), "%s/%s", root, path[i]);
		remove(full);
	}
}

static void put(const char *path, const void *data, size_t size)
{
	FILE *out = fopen(path, "w");

	if (!out || fwrite(data, 1, size, out) != size || fclose(out))
		abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const char map[] =
		"Family-model,Version,Filename,EventType\n0x00000000611f0230,v1,cpu,core\n";
	char path[128];

	(void)argc;
	(void)argv;
	if (!mkdtemp(root))
		abort();
	atexit(clean_up);
	snprintf(path, sizeof(path), "%s/arm64", root);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/arm64/cpu", root);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/arm64/mapfile.csv", root);
	put(path, map, sizeof(map) - 1);
	snprintf(file, sizeof(file), "%s/arm64/cpu/x.json", root);
	return 0;
}

static void use(struct catalog *catalog)
{
	const struct machine machine = { .n_types = 1, .type = { { .catalog = catalog } } };
	struct metrics metrics;

	if (metrics_make(&machine, &metrics, NULL) == 0)
		metrics_fini(&metrics);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct catalog *catalog;
	struct text problems = { 0 };
	struct err err = { "" };

	put(file, data, size);
	if (catalog_load(root, "arm64", "0x00000000611f0230", &catalog, &err) == 0) {
		use(catalog);
		catalog_free(catalog);
	} else if (!err.text[0]) {
		abort(); /* a refusal gives its reason */
	}
	catalog_check(root, metrics_check, &problems, NULL);
	text_fini(&problems);
	return 0;
}
