#include "symbols/place/load.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <link.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/invoker.h"
#include "symbols/table/lines.h"
#include "symbols/table/opener.h"
#include "symbols/table/table.h"

/* 65 536 mappings, the kernel's usual limit, with long paths. */
enum { MAPS_MAX = 16 << 20 };

/* A generation that was made of the time of a file's last change: it came from /proc, which has none. */
#define BY_TIME (UINT64_C(1) << 63)

/* ---- mappings ---- */

/* Parse "7f00-7f20 r-xp 00000000 fe:01 1234   /path". @ret  path stays in the line  @return whether it is code */
static bool parse_mapping(char *line, struct code_map *ret)
{
	char *at = line;
	bool is_code;

	ret->start = strtoull(at, &at, 16);
	ret->size = strtoull(at + (*at == '-'), &at, 16) - ret->start;
	is_code = strlen(at) > 5 && at[3] == 'x';
	ret->offset = strtoull(at + (strlen(at) > 5 ? 5 : 0), &at, 16);
	ret->dev_major = (uint32_t)strtoul(at, &at, 16);
	ret->dev_minor = (uint32_t)strtoul(at + (*at == ':'), &at, 16);
	ret->inode = strtoull(at, &at, 10);
	ret->path = at + strspn(at, " ");
	return is_code;
}

/* Return a generation of the file; 0: unknown. */
static uint64_t generation_of(const struct code_map *map)
{
	struct stat file;
	dev_t device = makedev(map->dev_major, map->dev_minor);

	if (!map->inode)
		return 0;
	if (stat(map->path, &file) || file.st_ino != map->inode || file.st_dev != device) {
		AUTO_FD int fd =
			opener_open(OPEN_MAPPED, map->pid, map->start, map->start + map->size);

		if (fd < 0 || fstat(fd, &file))
			return 0;
	}
	return BY_TIME | ((uint64_t)file.st_ctim.tv_sec << 30 | (uint64_t)file.st_ctim.tv_nsec);
}

int load_maps(uint32_t pid, load_take *take, void *data)
{
	AUTO_FD int fd = opener_open(OPEN_MAPS, pid, 0, 0);
	AUTO_FREE char *text = NULL;
	char *rest, *line;
	size_t n;
	int rc = fd < 0 ? fd : file_read_fd(fd, MAPS_MAX, &text, &n);

	for (rest = text; !rc && (line = strsep(&rest, "\n"));) {
		struct code_map map = { .pid = pid };

		if (!parse_mapping(line, &map))
			continue;
		map.generation = generation_of(&map);
		take(data, &map);
	}
	return rc;
}

/* ---- the file that was mapped ---- */

/* Whether the file is mapped under these numbers. Those of btrfs and overlayfs differ from stat's: compare what the
 * kernel writes of a mapping of this process. */
static bool is_mapped_as(const struct code_key *key, int fd)
{
	AUTO_FREE char *text = NULL;
	char *rest, *line;
	size_t n;
	void *page = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
	AUTO_FD int maps = page == MAP_FAILED ? -1 : file_open("/proc/self/maps");
	bool is_same = false;

	if (maps >= 0 && !file_read_fd(maps, MAPS_MAX, &text, &n))
		for (rest = text; (line = strsep(&rest, "\n"));) {
			struct code_map map = { 0 };

			(void)parse_mapping(line, &map);
			is_same |= map.start == (uintptr_t)page && map.inode == key->inode &&
				   map.dev_major == key->dev_major &&
				   map.dev_minor == key->dev_minor;
		}
	if (page != MAP_FAILED)
		munmap(page, 1);
	return is_same;
}

/* Whether it is the file that was mapped, not a later one with its number. */
static bool is_file(const struct code_key *key, int fd)
{
	struct stat file;
	unsigned generation = 0;

	if (fstat(fd, &file) || !S_ISREG(file.st_mode))
		return false;
	if (key->generation & BY_TIME &&
	    (key->generation & ~BY_TIME) !=
		    ((uint64_t)file.st_ctim.tv_sec << 30 | (uint64_t)file.st_ctim.tv_nsec))
		return false;
	if (key->generation && !(key->generation & BY_TIME) &&
	    !ioctl(fd, FS_IOC_GETVERSION, &generation) && generation != key->generation)
		return false;
	return (file.st_ino == key->inode &&
		file.st_dev == makedev(key->dev_major, key->dev_minor)) ||
	       is_mapped_as(key, fd);
}

/* @return a descriptor; -ENOENT: there is another file */
static int open_path(const struct code_key *key, const char *path)
{
	struct stat file;
	int fd;

	if (stat(path, &file) || !S_ISREG(file.st_mode)) /* opening a device could act on it */
		return -ENOENT;
	fd = file_open(path);
	if (fd >= 0 && is_file(key, fd))
		return fd;
	if (fd >= 0)
		close(fd);
	return -ENOENT;
}

/* Open the file of an object. @return a descriptor; -ENOENT */
static int open_code(const struct code *code, const struct code_use *use)
{
	char path[PATH_MAX];
	struct stat file;
	int fd = opener_open(OPEN_MAPPED, use->pid, use->start, use->end);

	/* the range may be another mapping now */
	if (fd >= 0 && (fstat(fd, &file) || file.st_ino != code->key.inode)) {
		close(fd);
		fd = -ENOENT;
	}
	if (fd >= 0)
		return fd;
	snprintf(path, sizeof(path), "/proc/%u/root%s", use->pid, code->key.path);
	fd = open_path(&code->key, path);
	return fd >= 0 ? fd : open_path(&code->key, code->key.path);
}

/* ---- separate debug files ---- */

static void build_id_text(const unsigned char *id, size_t n, char *ret)
{
	for (size_t i = 0; i < n; i++)
		snprintf(ret + 2 * i, 3, "%02x", id[i]);
}

/* Write the path of candidate i for a debug file; each is used only if its build id is right. @return false: there
 * are no more */
static bool debug_path(const struct code *code, const struct code_table *table, unsigned i,
		       char *path, size_t size)
{
	char id[2 * BUILD_ID_MAX + 1] = "", home[512];
	const char *file = code->key.path, *slash = strrchr(file, '/');
	int folder = slash ? (int)(slash - file) : 0;

	build_id_text(table->build_id, table->n_build_id, id);
	path[0] = '\0';
	if (!table->n_build_id)
		return false;
	switch (i) {
	case 0:
		snprintf(path, size, "/usr/lib/debug/.build-id/%.2s/%s.debug", id, id + 2);
		return true;
	case 1: /* what gdb and others have fetched by debuginfod */
		if (!invoker_home(home, sizeof(home)))
			snprintf(path, size, "%s/.cache/debuginfod_client/%s/debuginfo", home, id);
		return true;
	case 2: snprintf(path, size, "%.*s/%s", folder, file, table->debug_link); break;
	case 3: snprintf(path, size, "%.*s/.debug/%s", folder, file, table->debug_link); break;
	case 4:
		snprintf(path, size, "/usr/lib/debug%.*s/%s", folder, file, table->debug_link);
		break;
	default: return false;
	}
	if (!table->debug_link[0])
		path[0] = '\0';
	return true;
}

/* Open candidate i. @return a descriptor; -ENOENT; -ERANGE: there are no more */
static int open_debug(const struct code *code, const struct code_table *table, unsigned i)
{
	char path[PATH_MAX];
	struct stat file;

	if (!debug_path(code, table, i, path, sizeof(path)))
		return -ERANGE;
	return !path[0] || stat(path, &file) || !S_ISREG(file.st_mode) ? -ENOENT : file_open(path);
}

/* ---- tables ---- */

static int read_file(const struct code *code, const struct code_use *use, struct code_table *table)
{
	AUTO_FD int fd = open_code(code, use);
	int rc = fd < 0 ? fd : table_read_elf(table, fd), debug;

	for (unsigned i = 0; !rc && (debug = open_debug(code, table, i)) != -ERANGE; i++) {
		AUTO_FD int candidate = debug;

		if (candidate >= 0)
			(void)table_read_debug(table, candidate);
	}
	return rc;
}

/* Read the vDSO of this process: all of one kind of process have the same. */
static int read_vdso(const struct code *code, struct code_table *table)
{
	const ElfW(Ehdr) *image =
		(const void *)getauxval(AT_SYSINFO_EHDR); /* NOLINT(performance-no-int-to-ptr) */

	if (!image || code->key.generation)
		return -ENOENT;
	return table_read_image(table, image,
				image->e_shoff + (size_t)image->e_shnum * image->e_shentsize);
}

static int read_kind(const struct code *code, const struct code_use *use, struct code_table *table)
{
	int fd;

	switch (code->key.kind) {
	case CODE_FILE: return read_file(code, use, table);
	case CODE_VDSO: return read_vdso(code, table);
	case CODE_JIT: fd = opener_open(OPEN_PERF_MAP, use->pid, 0, 0); break;
	case CODE_KERNEL: fd = opener_open(OPEN_KALLSYMS, 0, 0, 0); break;
	default: return -ENOENT;
	}

	AUTO_FD int listing = fd;

	return listing < 0                     ? listing
	       : code->key.kind == CODE_KERNEL ? table_read_kallsyms(table, listing)
					       : table_read_perf_map(table, listing);
}

int load_table(const struct code *code, const struct code_use *use, struct code_table **ret)
{
	struct code_table *table = calloc(1, sizeof(*table));
	int rc = table ? read_kind(code, use, table) : -ENOMEM;

	if (rc) {
		table_free(table);
		return rc;
	}
	if (code->key.kind != CODE_KERNEL) /* closed already */
		table_close(table, code->key.kind == CODE_JIT);
	table->refs = 1;
	*ret = table;
	return 0;
}

int load_lines(const struct code *code, const struct code_use *use, const struct function *function,
	       struct code_lines **ret)
{
	struct lines_of of = { .start = function->start, .end = function->start + function->size };
	struct code_table *table = calloc(1, sizeof(*table));
	AUTO_FD int fd = open_code(code, use);
	int rc = !table ? -ENOMEM : fd < 0 ? fd : table_read_elf(table, fd), debug;

	if (!rc)
		rc = lines_read(fd, &of, ret);
	for (unsigned i = 0; rc == -ENODATA && (debug = open_debug(code, table, i)) != -ERANGE;
	     i++) {
		AUTO_FD int candidate = debug;

		of.build_id = table->build_id;
		of.n_build_id = table->n_build_id;
		if (candidate >= 0)
			rc = lines_read(candidate, &of, ret);
	}
	table_free(table);
	return rc;
}
