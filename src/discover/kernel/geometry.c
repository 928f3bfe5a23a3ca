#include "discover/kernel/geometry.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "machine/sysfs.h"

static int read_index(const char *root, unsigned cpu, unsigned index, const char *file, char *buf,
		      size_t size)
{
	char path[96];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/cache/index%u/%s", cpu, index,
		 file);
	return sysfs_read(root, path, buf, size);
}

/** "48K", "12M" as bytes; 0 when it is no size. */
static size_t size_of(char *text)
{
	size_t n = strlen(text);
	unsigned shift = 0;
	uint64_t value;

	if (n && (text[n - 1] == 'K' || text[n - 1] == 'M')) {
		shift = text[n - 1] == 'K' ? 10 : 20;
		text[n - 1] = '\0';
	}
	return num_parse_u64(text, &value) ? 0 : (size_t)value << shift;
}

/** What a cache's level and type are called here; N_CACHES: no cache of interest. */
static enum cache_name name_of(const char *level, const char *type)
{
	if (strcmp(level, "1") == 0 && strcmp(type, "Instruction") == 0)
		return CACHE_L1I;
	if (strcmp(level, "1") == 0)
		return CACHE_L1D;
	if (strcmp(level, "2") == 0 && strcmp(type, "Instruction") != 0)
		return CACHE_L2;
	return N_CACHES;
}

/** @return whether there is such an index */
static bool read_cache(const char *root, unsigned cpu, unsigned index, struct geometry *geometry)
{
	char level[16], type[16], size[32], line[16];
	enum cache_name name;
	size_t bytes;

	if (read_index(root, cpu, index, "level", level, sizeof(level)) < 0 ||
	    read_index(root, cpu, index, "type", type, sizeof(type)) < 0)
		return false;
	name = name_of(level, type);
	if (name < N_CACHES && read_index(root, cpu, index, "size", size, sizeof(size)) > 0 &&
	    (bytes = size_of(size)) > 0)
		geometry->size[name] = bytes;
	if (read_index(root, cpu, index, "coherency_line_size", line, sizeof(line)) > 0 &&
	    (bytes = size_of(line)) > geometry->line)
		geometry->line = bytes;
	return true;
}

void geometry_read(const char *root, unsigned cpu, struct geometry *ret)
{
	*ret = (struct geometry){
		.page = (size_t)sysconf(_SC_PAGESIZE),
		.line = 64,
		.size = { [CACHE_L1D] = 128 << 10, [CACHE_L1I] = 192 << 10, [CACHE_L2] = 12 << 20 },
	};
	for (unsigned index = 0; read_cache(root, cpu, index, ret); index++)
		;
}
