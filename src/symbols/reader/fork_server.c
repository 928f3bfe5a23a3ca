/* fork_server.c: forks a worker for each request
 *
 * It sees no file, and waits for no worker: one may hang in a file system. It stays single-threaded and small: a fork
 * takes 0.2 ms.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "symbols/reader/worker.h"

static unsigned n_workers;

static _Noreturn void become_worker(const struct wire_request *request, int answer, pid_t server)
{
	const struct itimerval end = { .it_value = { request->wall_ms / 1000,
						     request->wall_ms % 1000 * 1000 } };

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
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };
	ssize_t n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
	int fd = -1;

	if (n < (ssize_t)offsetof(struct wire_request, text))
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
