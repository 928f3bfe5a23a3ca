/* worker.c: the fork server, which forks a worker for each request, and the worker, which reads one file without rights
 *
 * The server sees no file, and waits for no worker: one may hang in a file system. It stays single-threaded and small: a
 * fork takes 0.2 ms. Everything in a worker may be in an attacker's hands.
 */
#include "symbols/reader/worker.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "symbols/table/lines.h"

/* ---- what is read ---- */

static int read_table(const struct wire_request *request, struct opened *opened,
		      struct code_table *table)
{
	const struct image *file = &opened->image[0];
	int rc = 0;

	switch (request->what) {
	case READ_JIT: table_read_perf_map(table, file->bytes); break;
	case READ_KALLSYMS: rc = table_read_kallsyms(table, file->bytes); break;
	default: rc = table_read_elf(table, file->bytes, file->n);
	}
	for (unsigned i = 1; !rc && i < opened->n; i++)
		(void)(request->what == READ_JIT ? table_read_jitdump : table_read_debug)(
			table, opened->image[i].bytes, opened->image[i].n);
	if (!rc && request->what != READ_KALLSYMS) /* closed already */
		table_close(table, request->what == READ_JIT);
	if (!rc && request->what != READ_JIT)
		table_demangle(table);
	return rc;
}

/* Write lines of the file or else of its debug files. */
static int write_lines(const struct wire_request *request, const struct opened *opened, FILE *out)
{
	struct lines_of of = { .start = request->from,
			       .end = request->to,
			       .image = opened->image,
			       .n_images = opened->n,
			       .is_last = *request->shared };
	int rc = -ENODATA;

	for (unsigned i = 0; rc && rc != -EFBIG && i < opened->n; i++) {
		rc = lines_write(opened->image[i].bytes, opened->image[i].n, &of, out);
		of.build_id = &request->build_id; /* of the next ones */
	}
	return rc == -ENOENT ? -ENODATA : rc;
}

static int write_instructions(const struct wire_request *request, const struct opened *opened,
			      FILE *out)
{
	const struct lines_of of = { .start = request->from, .end = request->to };

	return instructions_write(opened->image[0].bytes, opened->image[0].n, &of, out);
}

static int read_text(const struct wire_request *request, struct opened *opened,
		     struct code_table *text)
{
	FILE *out = open_memstream(&text->names, &text->n_names);
	int rc = !out ? -EFBIG
		      : (request->what == READ_LINES ? write_lines
						     : write_instructions)(request, opened, out);

	return out && fclose(out) ? -EFBIG : rc;
}

/* ---- a worker ---- */

/* @table  or text: names alone */
static void answer(int rc, const struct code_table *table)
{
	struct wire_answer answer = { .rc = table->is_short ? -EFBIG : rc };

	if (!answer.rc) /* the limit of memory keeps the numbers small */
		answer = (struct wire_answer){ .n_symbols = (uint32_t)table->n,
					       .n_segments = (uint32_t)table->n_segments,
					       .n_text = (uint32_t)table->n_names,
					       .about = table->about };
	if (!file_write(ANSWER_FD, &answer, sizeof(answer)) && !answer.rc &&
	    !file_write(ANSWER_FD, table->symbol, table->n * sizeof(*table->symbol)) &&
	    !file_write(ANSWER_FD, table->segment, table->n_segments * sizeof(*table->segment)))
		(void)file_write(ANSWER_FD, table->names, table->n_names);
}

/* Open, give up all rights, read, answer. */
static void worker_main(const struct wire_request *request)
{
	struct opened opened = { .uid = UID_UNKNOWN };
	struct code_table table = { 0 };
	struct wire_opened first = { .rc = open_files(request, &opened) };
	bool is_text = request->what == READ_LINES || request->what == READ_INSTRUCTIONS;
	int rc;

	if (request->what == READ_INSTRUCTIONS)
		instructions_load();
	first.uid = opened.uid;
	close_range(STDERR_FILENO + 1, ~0U, 0);
	close_range(0, 0, 0);
	if (file_write(ANSWER_FD, &first, sizeof(first)) || first.rc)
		return;
	if (!confine_worker(request->limits.cpu_ms, request->limits.memory)) {
		rc = -EPERM;
	} else if (request->what == READ_MAPS) {
		rc = 0;
		table.names = opened.image[0].bytes;
		table.n_names = opened.image[0].n;
	} else {
		rc = (is_text ? read_text : read_table)(request, &opened, &table);
	}
	answer(rc, &table);
}

/* ---- the fork server ---- */

static unsigned n_workers;

static _Noreturn void become_worker(const struct wire_request *request, int answer, pid_t server)
{
	const struct itimerval end = { .it_value = { request->limits.wall_ms / 1000,
						     request->limits.wall_ms % 1000 * 1000 } };

	prctl(PR_SET_NAME, "m1top/worker");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() == server && dup2(answer, ANSWER_FD) == ANSWER_FD &&
	    !setitimer(ITIMER_REAL, &end, NULL)) /* which ends it, also while it opens a file */
		worker_main(request);
	_exit(0);
}

static void start_worker(const struct wire_request *request, int answer)
{
	/* too many that do not end, as in a file system that hangs */
	const struct wire_opened busy = { .rc = -EBUSY };
	pid_t server = getpid(), pid = n_workers < WORKERS_MAX ? fork() : -1;

	if (pid == 0)
		become_worker(request, answer, server);
	if (pid > 0)
		n_workers++;
	else
		(void)!write(answer, &busy, sizeof(busy));
}

/* @return false: m1top is gone */
static bool take_request(int socket)
{
	static struct wire_request request;
	struct iovec part = { &request, sizeof(request) };
	union wire_control control = { 0 };
	struct msghdr message = wire_message(&part, &control);
	ssize_t n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
	int fd = -1;

	if (n != (ssize_t)sizeof(request))
		return n < 0 && errno == EINTR;
	if (message.msg_controllen >= CMSG_LEN(sizeof(int)))
		memcpy(&fd, CMSG_DATA(&control.header), sizeof(fd));

	AUTO_FD int answer = fd;

	if (answer >= 0)
		start_worker(&request, answer);
	return true;
}

/* Interrupt the wait for a request. */
static void on_end(int signal UNUSED)
{
}

void fork_server_main(int socket)
{
	const struct sigaction end = { .sa_handler = on_end };

	sigaction(SIGCHLD, &end, NULL);
	while (take_request(socket))
		while (waitpid(-1, NULL, WNOHANG) > 0)
			n_workers--;
	_exit(0); /* which ends the workers */
}
