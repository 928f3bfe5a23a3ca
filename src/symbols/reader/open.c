/* open.c: opening what strangers may have made, in a worker, while it has the fork server's rights */
#include "symbols/reader/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <link.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/invoker.h"
#include "base/rights.h"
#include "base/text.h"
#include "symbols/symbols.h"

/* 65 536 mappings, the kernel's usual limit, with long paths; a kernel lists 15 MB, a JIT of a large program some MB. */
enum { MAPS_MAX = 16 << 20, LISTING_MAX = 32 << 20 };

/* A process that has ended wrote to its list so recently; an older one may be of another with its id. */
enum { ENDED_S = 60 };

/* A browser's debug file has 2 GB. */
#define FILE_MAX  (INT64_C(4) << 30)
#define HOLES_MAX (INT64_C(16) << 20)

/* ---- regular files ---- */

/* Open a file that was found (O_PATH), which has not acted on it. @found  closed  @return -ENOEXEC: it is not regular,
 * or empty, as those of /proc and tracefs are */
static int open_found(int found, struct stat *ret)
{
	AUTO_FD int at = found;
	char path[64];
	int fd;

	if (at < 0 || fstat(at, ret))
		return -errno;
	if (!S_ISREG(ret->st_mode) || ret->st_size <= 0)
		return -ENOEXEC;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", at);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

static int open_regular(const char *path, struct stat *ret)
{
	return open_found(open(path, O_PATH | O_CLOEXEC), ret);
}

/* Whether reading it would fill memory: a hole in a tmpfs takes a page when it is read through a mapping, which then
 * stays, and is charged to the reader's cgroup. */
static bool is_hollow(int fd, const struct stat *file)
{
	struct statfs system;

	return !fstatfs(fd, &system) && system.f_type == TMPFS_MAGIC &&
	       file->st_size - file->st_blocks * 512 > HOLES_MAX;
}

/* Map a file. @fd  closed; -errno: returned */
static int map_file(int fd, const struct stat *file, struct opened *opened)
{
	AUTO_FD int at = fd;
	void *bytes;

	if (fd < 0)
		return fd;
	if (file->st_size > FILE_MAX || is_hollow(at, file) || opened->n == IMAGES_MAX)
		return -EFBIG;
	bytes = mmap(NULL, (size_t)file->st_size, PROT_READ, MAP_PRIVATE, at, 0);
	if (bytes == MAP_FAILED)
		return -errno;
	opened->image[opened->n++] = (struct image){ bytes, (size_t)file->st_size };
	return 0;
}

/* ---- mappings ---- */

/* Parse "7f00-7f20 r-xp 00000000 fe:01 1234   /path". @ret  `path` is in the line  @return whether it is code */
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

static void mapped_path(uint32_t pid, uint64_t start, uint64_t end, char *ret, size_t size)
{
	snprintf(ret, size, "/proc/%u/map_files/%" PRIx64 "-%" PRIx64, pid, start, end);
}

/* @s, @ns  time of a file's last change */
static uint64_t generation_of(int64_t s, int64_t ns)
{
	return GENERATION_BY_TIME | (uint64_t)s << 30 | (uint64_t)ns;
}

/* Return a generation of a mapped file; 0: unknown. A file system that hangs is not queried. */
static uint64_t generation_of_map(const struct code_map *map)
{
	char mapped[96];
	struct statx file;

	if (!map->inode)
		return 0;
	mapped_path(map->pid, map->start, map->start + map->size, mapped, sizeof(mapped));
	if (statx(AT_FDCWD, mapped, AT_STATX_DONT_SYNC, STATX_CTIME, &file) &&
	    (statx(AT_FDCWD, map->path, AT_STATX_DONT_SYNC, STATX_INO | STATX_CTIME, &file) ||
	     file.stx_ino != map->inode || file.stx_dev_major != map->dev_major ||
	     file.stx_dev_minor != map->dev_minor))
		return 0;
	return generation_of(file.stx_ctime.tv_sec, file.stx_ctime.tv_nsec);
}

/* List the mappings of code of a process: struct code_map, path with a NUL. */
static int list_maps(uint32_t pid, struct opened *opened)
{
	AUTO_FREE char *lines = NULL;
	char path[64], *rest, *line;
	struct text text = { 0 };
	struct code_map map = { .pid = pid };
	size_t n;
	int rc;

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	rc = file_read(path, MAPS_MAX, &lines, &n);
	for (rest = lines; !rc && (line = strsep(&rest, "\n"));) {
		if (!parse_mapping(line, &map))
			continue;
		map.generation = generation_of_map(&map);
		text_add(&text, (const char *)&map, sizeof(map));
		text_add(&text, map.path, strlen(map.path) + 1);
	}
	opened->image[opened->n++] = (struct image){ text.bytes, text.n };
	return rc ? rc : text.failed ? -ENOMEM : 0;
}

/* ---- the file that was mapped ---- */

/* Whether the file is mapped under these numbers. Those of btrfs and overlayfs differ from stat's: compare what the
 * kernel writes of a mapping of this process. */
static bool is_mapped_as(const struct wire_request *request, int fd)
{
	AUTO_FREE char *text = NULL;
	char *rest, *line;
	struct code_map map;
	size_t n;
	void *page = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
	bool is_same = false;

	if (page != MAP_FAILED && !file_read("/proc/self/maps", MAPS_MAX, &text, &n))
		for (rest = text; (line = strsep(&rest, "\n"));) {
			(void)parse_mapping(line, &map);
			is_same |= map.start == (uintptr_t)page && map.inode == request->inode &&
				   map.dev_major == request->dev_major &&
				   map.dev_minor == request->dev_minor;
		}
	if (page != MAP_FAILED)
		munmap(page, 1);
	return is_same;
}

/* Whether it is the file that was mapped, not a later one with its number. */
static bool is_file(const struct wire_request *request, int fd, const struct stat *file)
{
	unsigned generation = 0;

	if (request->generation & GENERATION_BY_TIME &&
	    request->generation != generation_of(file->st_ctim.tv_sec, file->st_ctim.tv_nsec))
		return false;
	if (request->generation && !(request->generation & GENERATION_BY_TIME) &&
	    !ioctl(fd, FS_IOC_GETVERSION, &generation) && generation != request->generation)
		return false;
	return (file->st_ino == request->inode &&
		file->st_dev == makedev(request->dev_major, request->dev_minor)) ||
	       is_mapped_as(request, fd);
}

/* @is_range  path is a mapping's range, which another one may have now  @return a descriptor; -ENOENT: there is another
 * file */
static int open_path(const struct wire_request *request, const char *path, bool is_range,
		     struct stat *ret)
{
	int fd = open_regular(path, ret);

	if (fd >= 0 && (is_range ? ret->st_ino == request->inode : is_file(request, fd, ret)))
		return fd;
	if (fd >= 0)
		close(fd);
	return -ENOENT;
}

/* Open the file of an object. @return a descriptor; -ENOENT */
static int open_mapped(const struct wire_request *request, struct stat *ret)
{
	char path[PATH_MAX + 64];
	int fd;

	mapped_path(request->pid, request->start, request->end, path, sizeof(path));
	fd = open_path(request, path, true, ret);
	rights_use(RIGHT_CONFINE); /* paths are for the user's rights */
	snprintf(path, sizeof(path), "/proc/%u/root%s", request->pid, request->path);
	if (fd < 0)
		fd = open_path(request, path, false, ret);
	return fd >= 0 ? fd : open_path(request, request->path, false, ret);
}

/* ---- separate debug files ---- */

/* Write the path of candidate i for a debug file; each is used only if its build id is right. @return false: there
 * are no more */
static bool debug_path(const struct wire_request *request, unsigned i, char *path, size_t size)
{
	char id[2 * BUILD_ID_MAX + 1] = "", home[512];
	const char *file = request->path, *link = request->debug_link, *slash = strrchr(file, '/');
	int folder = slash ? (int)(slash - file) : 0;

	for (size_t at = 0; at < request->build_id.n; at++)
		snprintf(id + 2 * at, 3, "%02x", request->build_id.byte[at]);
	path[0] = '\0';
	switch (i) {
	case 0:
		snprintf(path, size, "/usr/lib/debug/.build-id/%.2s/%s.debug", id, id + 2);
		return true;
	case 1: /* what gdb and others have fetched by debuginfod */
		if (!invoker_home(home, sizeof(home)))
			snprintf(path, size, "%s/.cache/debuginfod_client/%s/debuginfo", home, id);
		return true;
	case 2: snprintf(path, size, "%.*s/%s", folder, file, link); break;
	case 3: snprintf(path, size, "%.*s/.debug/%s", folder, file, link); break;
	case 4: snprintf(path, size, "/usr/lib/debug%.*s/%s", folder, file, link); break;
	default: return false;
	}
	if (!link[0])
		path[0] = '\0';
	return true;
}

/* Open the shared file that an opened one names, perhaps from its folder. @path  of that one */
static void open_shared(const struct wire_request *request, const char *path, struct opened *opened)
{
	const char *name = request->shared, *slash = strrchr(path, '/');
	char shared[2 * PATH_MAX];
	struct stat file = { 0 };

	if (!*name || !slash)
		return;
	snprintf(shared, sizeof(shared), "%.*s%s", *name == '/' ? 0 : (int)(slash + 1 - path), path,
		 name);
	(void)map_file(open_regular(shared, &file), &file, opened);
}

static int open_elf(const struct wire_request *request, struct opened *opened)
{
	char path[PATH_MAX + 64];
	struct stat file = { 0 };
	int rc = map_file(open_mapped(request, &file), &file, opened);

	if (!rc) {
		opened->uid = file.st_uid;
		open_shared(request, request->path, opened);
	}
	for (unsigned i = 0;
	     !rc && request->build_id.n && debug_path(request, i, path, sizeof(path)); i++)
		if (!map_file(open_regular(path, &file), &file, opened)) /* of "": ENOENT */
			open_shared(request, path, opened);
	return rc || request->what == READ_LINES || !request->build_id.n || opened->n > 1 ? rc
											  : -ENOENT;
}

/* ---- listings ---- */

/* Return the id of a process in its own PID namespace: the last one of "\nNSpid:\t123\t4". */
static unsigned own_pid(uint32_t pid)
{
	AUTO_FREE char *text = NULL;
	char path[64], *ids;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	if (file_read(path, 1 << 16, &text, &n) || !(ids = strstr(text, "\nNSpid:\t")))
		return pid;
	ids[1 + strcspn(ids + 1, "\n")] = '\0';
	return (unsigned)strtoul(strrchr(ids, '\t'), NULL, 10);
}

/* Whether the list belongs to the process; if it has ended, to a recent one of m1top's user. */
static bool is_list_of(uint32_t pid, const struct stat *file)
{
	struct stat process;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u", pid);
	return stat(path, &process)
		       ? file->st_uid == getuid() && file->st_mtime > time(NULL) - ENDED_S
		       : file->st_uid == process.st_uid;
}

/* Another user could have left a file with that name in /tmp, or a link to a file that is read with root's rights. */
static int open_perf_map(uint32_t pid, uint32_t *ret_uid)
{
	char root[64], path[64];
	bool has_ended;
	struct stat file;

	snprintf(root, sizeof(root), "/proc/%u/root", pid);
	snprintf(path, sizeof(path), "tmp/perf-%u.map", own_pid(pid));
	has_ended = stat(root, &file) && errno == ENOENT;

	AUTO_FD int found = file_open_beneath(has_ended ? "/" : root, path, O_PATH | O_CLOEXEC);

	if (found < 0 || fstat(found, &file))
		return found < 0 ? found : -errno;
	if (!is_list_of(pid, &file))
		return -EPERM;
	*ret_uid = file.st_uid;
	return open_found(dup(found), &file);
}

/* Map the jitdump of a process: the file that the request names. @return 0; -errno */
static int map_jitdump(const struct wire_request *request, struct opened *opened)
{
	struct stat file = { 0 };
	int fd = request->inode ? open_mapped(request, &file) : -ENOENT;

	if (fd >= 0 && !is_list_of(request->pid, &file)) {
		close(fd);
		return -EPERM;
	}
	opened->uid = fd < 0 ? opened->uid : file.st_uid;
	return map_file(fd, &file, opened);
}

static int read_listing(int fd, struct opened *opened)
{
	AUTO_FD int listing = fd;
	struct image *text = &opened->image[opened->n++];
	int rc = fd < 0 ? fd : file_read_fd(listing, LISTING_MAX, &text->bytes, &text->n);

	/* a list that is cut and written on begins with a hole */
	for (size_t i = 0; !rc && i < text->n; i++)
		if (!text->bytes[i])
			text->bytes[i] = '\n';
	return rc;
}

/* Open the list of generated code and the jitdump: one is enough. */
static int open_jit(const struct wire_request *request, struct opened *opened)
{
	int rc = read_listing(open_perf_map(request->pid, &opened->uid), opened);

	return map_jitdump(request, opened) ? rc : 0;
}

/* Get the vDSO of this process: all of one kind of process have the same. */
static int get_vdso(struct opened *opened)
{
	char *bytes = (char *)getauxval(AT_SYSINFO_EHDR); /* NOLINT(performance-no-int-to-ptr) */
	const ElfW(Ehdr) *image = (const void *)bytes;

	if (!image)
		return -ENOENT;
	opened->image[opened->n++] =
		(struct image){ bytes,
				image->e_shoff + (size_t)image->e_shnum * image->e_shentsize };
	return 0;
}

int open_files(const struct wire_request *request, struct opened *ret)
{
	switch (request->what) {
	case READ_ELF:
	case READ_LINES:
	case READ_INSTRUCTIONS: return open_elf(request, ret);
	case READ_JIT: return open_jit(request, ret);
	case READ_KALLSYMS: return read_listing(file_open("/proc/kallsyms"), ret);
	case READ_MAPS: return list_maps(request->pid, ret);
	default: return get_vdso(ret);
	}
}
