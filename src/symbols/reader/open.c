#include "symbols/reader/open.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <link.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/invoker.h"
#include "base/rights.h"
#include "base/text.h"

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

/* Map a file. @fd  closed */
static int map_file(int fd, const struct stat *file, struct opened *opened)
{
	AUTO_FD int at = fd;
	void *bytes;

	if (file->st_size > FILE_MAX || is_hollow(at, file) || opened->n == IMAGES_MAX)
		return -EFBIG;
	bytes = mmap(NULL, (size_t)file->st_size, PROT_READ, MAP_PRIVATE, at, 0);
	if (bytes == MAP_FAILED)
		return -errno;
	opened->image[opened->n++] = (struct image){ bytes, (size_t)file->st_size };
	return 0;
}

/* ---- mappings ---- */

/* Parse "7f00-7f20 r-xp 00000000 fe:01 1234   /path". @ret_path  in the line  @return whether it is code */
static bool parse_mapping(char *line, struct wire_map *ret, const char **ret_path)
{
	char *at = line;
	bool is_code;

	ret->start = strtoull(at, &at, 16);
	ret->end = strtoull(at + (*at == '-'), &at, 16);
	is_code = strlen(at) > 5 && at[3] == 'x';
	ret->offset = strtoull(at + (strlen(at) > 5 ? 5 : 0), &at, 16);
	ret->dev_major = (uint32_t)strtoul(at, &at, 16);
	ret->dev_minor = (uint32_t)strtoul(at + (*at == ':'), &at, 16);
	ret->inode = strtoull(at, &at, 10);
	*ret_path = at + strspn(at, " ");
	return is_code;
}

static int read_proc(const char *pid, const char *name, size_t max, char **ret, size_t *ret_n)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%s/%s", pid, name);
	return file_read(path, max, ret, ret_n);
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
static uint64_t generation_of_map(uint32_t pid, const struct wire_map *map, const char *path)
{
	char mapped[96];
	struct statx file;

	if (!map->inode)
		return 0;
	mapped_path(pid, map->start, map->end, mapped, sizeof(mapped));
	if (statx(AT_FDCWD, mapped, AT_STATX_DONT_SYNC, STATX_CTIME, &file) &&
	    (statx(AT_FDCWD, path, AT_STATX_DONT_SYNC, STATX_INO | STATX_CTIME, &file) ||
	     file.stx_ino != map->inode || file.stx_dev_major != map->dev_major ||
	     file.stx_dev_minor != map->dev_minor))
		return 0;
	return generation_of(file.stx_ctime.tv_sec, file.stx_ctime.tv_nsec);
}

int open_maps(uint32_t pid, char **ret, size_t *ret_n)
{
	AUTO_FREE char *lines = NULL;
	char *rest, *line, number[16];
	const char *path;
	struct text text = { 0 };
	struct wire_map map;
	size_t n;
	int rc;

	snprintf(number, sizeof(number), "%u", pid);
	rc = read_proc(number, "maps", MAPS_MAX, &lines, &n);
	for (rest = lines; !rc && (line = strsep(&rest, "\n"));) {
		if (!parse_mapping(line, &map, &path))
			continue;
		map.generation = generation_of_map(pid, &map, path);
		text_add(&text, (const char *)&map, sizeof(map));
		text_add(&text, path, strlen(path) + 1);
	}
	*ret = text.bytes;
	*ret_n = text.n;
	return rc ? rc : text.failed ? -ENOMEM : 0;
}

/* ---- the file that was mapped ---- */

/* Whether the file is mapped under these numbers. Those of btrfs and overlayfs differ from stat's: compare what the
 * kernel writes of a mapping of this process. */
static bool is_mapped_as(const struct wire_request *request, int fd)
{
	AUTO_FREE char *text = NULL;
	char *rest, *line;
	const char *path;
	struct wire_map map;
	size_t n;
	void *page = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
	bool is_same = false;

	if (page != MAP_FAILED && !read_proc("self", "maps", MAPS_MAX, &text, &n))
		for (rest = text; (line = strsep(&rest, "\n"));) {
			(void)parse_mapping(line, &map, &path);
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

/* @return a descriptor; -ENOENT: there is another file */
static int open_path(const struct wire_request *request, const char *path, struct stat *ret)
{
	int fd = open_regular(path, ret);

	if (fd >= 0 && is_file(request, fd, ret))
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
	fd = open_regular(path, ret);
	rights_use(RIGHT_CONFINE); /* paths are for the user's rights */
	if (fd >= 0 && ret->st_ino == request->inode)
		return fd;
	if (fd >= 0) /* the range is another mapping now */
		close(fd);
	snprintf(path, sizeof(path), "/proc/%u/root%s", request->pid, request->text);
	fd = open_path(request, path, ret);
	return fd >= 0 ? fd : open_path(request, request->text, ret);
}

/* ---- separate debug files ---- */

/* Write the path of candidate i for a debug file; each is used only if its build id is right. @return false: there
 * are no more */
static bool debug_path(const struct wire_request *request, unsigned i, char *path, size_t size)
{
	char id[2 * BUILD_ID_MAX + 1] = "", home[512];
	const char *file = request->text, *link = wire_text(request, 1),
		   *slash = strrchr(file, '/');
	int folder = slash ? (int)(slash - file) : 0;

	for (size_t at = 0; at < request->n_build_id; at++)
		snprintf(id + 2 * at, 3, "%02x", request->build_id[at]);
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
	const char *name = wire_text(request, 2), *slash = strrchr(path, '/');
	char shared[2 * PATH_MAX];
	struct stat file = { 0 };
	int fd;

	if (!*name || !slash)
		return;
	snprintf(shared, sizeof(shared), "%.*s%s", *name == '/' ? 0 : (int)(slash + 1 - path), path,
		 name);
	fd = open_regular(shared, &file);
	if (fd >= 0)
		(void)map_file(fd, &file, opened);
}

static int open_elf(const struct wire_request *request, struct opened *opened)
{
	char path[PATH_MAX + 64];
	struct stat file = { 0 };
	int fd = open_mapped(request, &file), rc = fd < 0 ? fd : map_file(fd, &file, opened);

	if (!rc) {
		opened->uid = file.st_uid;
		open_shared(request, request->text, opened);
	}
	for (unsigned i = 0;
	     !rc && request->n_build_id && debug_path(request, i, path, sizeof(path)); i++) {
		fd = path[0] ? open_regular(path, &file) : -ENOENT;
		if (fd >= 0 && !map_file(fd, &file, opened))
			open_shared(request, path, opened);
	}
	return rc || request->what == READ_LINES || !request->n_build_id || opened->n > 1 ? rc
											  : -ENOENT;
}

/* ---- listings ---- */

/* Return the id of a process in its own PID namespace. */
static unsigned own_pid(const char *pid)
{
	AUTO_FREE char *text = NULL;
	const char *ids = NULL;
	size_t n;

	if (!read_proc(pid, "status", 1 << 16, &text, &n))
		ids = strstr(text, "\nNSpid:");
	if (!ids)
		return (unsigned)strtoul(pid, NULL, 10);
	n = strcspn(ids + 1, "\n");
	while (n && ids[n] >= '0' && ids[n] <= '9')
		n--;
	return (unsigned)strtoul(ids + n, NULL, 10);
}

/* Whether the list belongs to the process; if it has ended, to a recent one of m1top's user. */
static bool is_perf_map_of(const char *process_path, const struct stat *file)
{
	struct stat process;

	return stat(process_path, &process)
		       ? file->st_uid == getuid() && file->st_mtime > time(NULL) - ENDED_S
		       : file->st_uid == process.st_uid;
}

/* Another user could have left a file with that name in /tmp, or a link to a file that is read with root's rights. */
static int open_perf_map(uint32_t pid, uint32_t *ret_uid)
{
	const struct open_how how = { .flags = O_PATH | O_CLOEXEC,
				      .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS };
	char number[16], process_path[64], path[64];
	struct stat file;
	AUTO_FD int root = -1;
	int fd;

	snprintf(number, sizeof(number), "%u", pid);
	snprintf(process_path, sizeof(process_path), "/proc/%u/root", pid);
	snprintf(path, sizeof(path), "tmp/perf-%u.map", own_pid(number));
	root = open(process_path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0 && errno == ENOENT) /* it has ended */
		root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -errno;
	*strrchr(process_path, '/') = '\0';

	AUTO_FD int found = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));

	if (found < 0 || fstat(found, &file))
		return -errno;
	if (!is_perf_map_of(process_path, &file))
		return -EPERM;
	fd = open_found(dup(found), &file);
	*ret_uid = file.st_uid;
	return fd;
}

static int read_listing(int fd, struct opened *opened)
{
	AUTO_FD int listing = fd;
	int rc = fd < 0 ? fd : file_read_fd(listing, LISTING_MAX, &opened->text, &opened->n_text);

	/* a list that is cut and written on begins with a hole */
	for (size_t i = 0; !rc && i < opened->n_text; i++)
		if (!opened->text[i])
			opened->text[i] = '\n';
	return rc;
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
	case READ_LINES: return open_elf(request, ret);
	case READ_VDSO: return get_vdso(ret);
	case READ_PERF_MAP: return read_listing(open_perf_map(request->pid, &ret->uid), ret);
	case READ_KALLSYMS: return read_listing(file_open("/proc/kallsyms"), ret);
	default: return 0;
	}
}
