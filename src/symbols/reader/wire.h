/* wire.h: messages between m1top, the fork server and a worker; all are forks of one program */
#ifndef SYMBOLS_READER_WIRE_H
#define SYMBOLS_READER_WIRE_H

#include <limits.h>
#include <stdint.h>
#include <sys/socket.h>

#include "symbols/table/table.h"

enum read_what {
	READ_ELF, /* functions of a mapped file; with a build id also of its debug file, which must be there */
	READ_LINES, /* lines of [from, to) of a mapped file or else, with a build id, of its debug file */
	READ_INSTRUCTIONS, /* instructions of [from, to) of a mapped file */
	READ_VDSO,         /* functions of this kernel's vDSO */
	READ_JIT, /* generated code: of /tmp/perf-PID.map as the process sees it, and of its jitdump */
	READ_KALLSYMS, /* /proc/kallsyms */
	READ_MAPS,     /* /proc/PID/maps, its mappings of code: struct code_map, path with a NUL */
};

/** Bounds of a try. */
struct wire_limits {
	uint32_t cpu_ms, wall_ms;
	uint64_t memory; /* bytes that may be allocated */
};

/** A request, with the pipe for its answer. */
struct wire_request {
	uint32_t what; /* enum read_what */
	uint32_t pid;
	uint32_t dev_major, dev_minor; /* the file that was mapped */
	uint64_t inode, generation;
	uint64_t start, end; /* the mapping */
	uint64_t from, to;   /* addresses */
	struct wire_limits limits;
	struct build_id build_id; /* n is 0: the debug file is not known */
	char path[PATH_MAX];
	char debug_link[sizeof(
		((struct elf_about *)NULL)->debug_link)]; /* name of its debug file */
	char shared[PATH_MAX]; /* name of a file that its lines need, too; "": none is known */
};

/** Room for the pipe of a request. */
union wire_control {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int))];
};

static inline struct msghdr wire_message(struct iovec *part, union wire_control *control)
{
	return (struct msghdr){ .msg_iov = part,
				.msg_iovlen = 1,
				.msg_control = control,
				.msg_controllen = sizeof(*control) };
}

/** First part of an answer: the file is open, or why not. */
struct wire_opened {
	int32_t rc;
	uint32_t uid; /* owner of the file, or UID_UNKNOWN */
};

#define UID_UNKNOWN UINT32_MAX

/** Second part: symbols, segments, and names or other text follow. */
struct wire_answer {
	int32_t rc;
	uint32_t n_symbols, n_segments, n_text;
	struct elf_about about;
};

enum {
	ANSWER_FD = 1,
	WORKERS_MAX = 32, /* files of one user that hang lose 20 s, 2.5 s or more for each worker */
};

/** A generation that was made of the time of a file's last change: it came from /proc, which has none. */
#define GENERATION_BY_TIME (UINT64_C(1) << 63)

#endif
