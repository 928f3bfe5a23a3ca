/* opener.c: a process that keeps the right to open other users' files, and does nothing else
 *
 * It reads no file but /proc/PID/status: hostile contents are for the process without rights. Its requests name a
 * process and a range of addresses, never a path.
 */
#include "symbols/table/opener.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/rights.h"
#include "symbols/symbols.h"

static int helper = -1; /* socket; -1: there is no process, open here */

/* ---- opening, in either process ---- */

static int open_proc(uint32_t pid, const char *name)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Open a mapped file. What is not ELF is not handed out: processes map their secrets, too. */
static int open_mapped(const struct opener_request *request)
{
	char path[96], magic[4];
	struct stat stat_of;

	snprintf(path, sizeof(path), "/proc/%u/map_files/%" PRIx64 "-%" PRIx64, request->pid,
		 request->start, request->end);
	/* a link to a device is not followed by open: that could act on it */
	if (stat(path, &stat_of))
		return -errno;

	int fd = S_ISREG(stat_of.st_mode) ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;

	if (fd < 0)
		return S_ISREG(stat_of.st_mode) ? -errno : -ENOEXEC;
	if (pread(fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
	    memcmp(magic, "\177ELF", sizeof(magic)) == 0)
		return fd;
	close(fd);
	return -ENOEXEC;
}

/* Return the id of a process in its own PID namespace. */
static unsigned own_pid(uint32_t pid)
{
	AUTO_FD int fd = open_proc(pid, "status");
	AUTO_FREE char *text = NULL;
	const char *ids = NULL;
	size_t n;

	if (fd >= 0 && !file_read_fd(fd, 1 << 16, &text, &n))
		ids = strstr(text, "\nNSpid:");
	if (!ids)
		return pid;
	n = strcspn(ids + 1, "\n");
	while (n && ids[n] >= '0' && ids[n] <= '9')
		n--;
	return (unsigned)strtoul(ids + n, NULL, 10);
}

/* Another user could have left a file with that name in /tmp, or a link to a file that is read with root's rights. */
static int open_perf_map(uint32_t pid)
{
	char root[64], path[64];
	struct stat process, file;
	int fd;

	snprintf(root, sizeof(root), "/proc/%u/root", pid);
	snprintf(path, sizeof(path), "tmp/perf-%u.map", own_pid(pid));
	fd = file_open_beneath(root, path);
	if (fd < 0)
		return fd;
	snprintf(root, sizeof(root), "/proc/%u", pid);
	if (!stat(root, &process) && !fstat(fd, &file) && S_ISREG(file.st_mode) &&
	    file.st_uid == process.st_uid)
		return fd;
	close(fd);
	return -EPERM;
}

static int open_here(const struct opener_request *request)
{
	int fd;

	switch (request->what) {
	case OPEN_MAPS: return open_proc(request->pid, "maps");
	case OPEN_MAPPED: return open_mapped(request);
	case OPEN_PERF_MAP: return open_perf_map(request->pid);
	case OPEN_KALLSYMS:
		fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
		return fd < 0 ? -errno : fd;
	default: return -EINVAL;
	}
}

/* ---- the socket ---- */

/* An answer: rc, and a descriptor if it is 0. */
union answer_control {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int))];
};

static bool answer(int socket, int fd)
{
	int rc = fd < 0 ? fd : 0;
	union answer_control control = { 0 };
	struct iovec part = { &rc, sizeof(rc) };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

	if (fd >= 0) {
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
		control.header = (struct cmsghdr){ .cmsg_level = SOL_SOCKET,
						   .cmsg_type = SCM_RIGHTS,
						   .cmsg_len = CMSG_LEN(sizeof(int)) };
		memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	}
	return sendmsg(socket, &message, MSG_NOSIGNAL) == (ssize_t)sizeof(rc);
}

/* Answer requests until the socket is closed. */
static void serve_requests(int socket)
{
	struct opener_request request;

	while (recv(socket, &request, sizeof(request), 0) == (ssize_t)sizeof(request)) {
		AUTO_FD int fd = open_here(&request);

		if (!answer(socket, fd))
			return;
	}
}

static int ask(const struct opener_request *request)
{
	int rc, fd = -1;
	union answer_control control = { 0 };
	struct iovec part = { &rc, sizeof(rc) };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };

	if (send(helper, request, sizeof(*request), MSG_NOSIGNAL) != (ssize_t)sizeof(*request) ||
	    recvmsg(helper, &message, MSG_CMSG_CLOEXEC) != (ssize_t)sizeof(rc))
		return -EPIPE;
	if (rc)
		return rc;
	if (message.msg_controllen < CMSG_LEN(sizeof(int)))
		return -EMFILE; /* this process has too many open files */
	memcpy(&fd, CMSG_DATA(&control.header), sizeof(fd));
	return fd;
}

int opener_open(enum opener_what what, uint32_t pid, uint64_t start, uint64_t end)
{
	const struct opener_request request = { what, pid, start, end };
	int fd = helper >= 0 ? ask(&request) : -EPIPE;

	return fd == -EPIPE ? open_here(&request) : fd;
}

/* Become the opener: no terminal, no files but the socket, no rights but those to open. */
static void become_opener(int socket, pid_t parent)
{
	struct err err;
	int null = open("/dev/null", O_RDWR);

	prctl(PR_SET_NAME, "m1top/opener");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setsid(); /* Ctrl-C is for the program; the socket ends with it */
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	if (dup2(socket, STDERR_FILENO + 1) < 0)
		_exit(1);
	close_range(STDERR_FILENO + 2, ~0U, 0);
	if (rights_keep(RIGHT_OPEN, &err) || getppid() != parent)
		_exit(1);
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* a change of ids cleared it */
	serve_requests(STDERR_FILENO + 1);
	_exit(0);
}

int symbols_start_opener(struct err *err)
{
	struct rights_held held;
	int pair[2];
	pid_t parent = getpid(), pid;

	if (helper >= 0 || rights_of(0, &held) || !held.permitted) /* it could not open more */
		return 0;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return err_set(err, errno, "socketpair: %s", strerror(errno));
	pid = fork();
	if (pid == 0)
		become_opener(pair[1], parent);
	close(pair[1]);
	if (pid < 0) {
		close(pair[0]);
		return err_set(err, errno, "fork: %s", strerror(errno));
	}
	helper = pair[0];
	return 0;
}
