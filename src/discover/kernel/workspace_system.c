/* workspace_system.c: what needs the operating system: code that is rewritten, pages that are not there, a
 * thread that answers */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "discover/kernel/workspace.h"
#include "discover/kernel/code.h"

/** Map a file's two pages once more. */
static int map_file(struct workspace *workspace, int fd, int protection, struct err *err)
{
	size_t size = 2 * workspace->geometry.page;
	uint8_t *bytes = mmap(NULL, size, protection, MAP_SHARED | MAP_POPULATE, fd, 0);

	if (bytes == MAP_FAILED)
		return err_set(err, errno == ENOMEM ? ENOMEM : EACCES,
			       "generated code may not be %s here",
			       protection & PROT_WRITE ? "written" : "run");
	workspace->map[workspace->n_maps++] =
		(struct workspace_map){ .bytes = bytes, .size = size };
	return 0;
}

/* The same pages twice, to write and to run: nothing is both. The second page is never run. */
static int make_rewrite(struct workspace *workspace, struct err *err)
{
	size_t page = workspace->geometry.page, where;
	AUTO_FD int fd = memfd_create("m1top", MFD_CLOEXEC);
	int res;

	if (!code_is_known())
		return err_set(err, ENOTSUP, "no code is generated for this architecture");
	if (fd < 0 || ftruncate(fd, (off_t)(2 * page)))
		return err_set(err, errno, "a file in memory: %s", strerror(errno));
	res = map_file(workspace, fd, PROT_READ | PROT_WRITE, err);
	if (res == 0)
		res = map_file(workspace, fd, PROT_READ | PROT_EXEC, err);
	if (res)
		return res;
	where = code_rewritten(workspace->map[0].bytes);
	code_rewritten(workspace->map[0].bytes + page);
	workspace->view.trigger = workspace->map[0].bytes + where;
	workspace->view.control = workspace->map[0].bytes + page + where;
	workspace->view.third = workspace->map[1].bytes;
	__builtin___clear_cache((char *)workspace->map[1].bytes,
				(char *)workspace->map[1].bytes + page);
	return 0;
}

const struct workspace_kind workspace_rewrite = {
	.what = "code to rewrite",
	.make = make_rewrite,
};

/* Not locked: what is locked is there. */
static void prepare_fresh_pages(struct workspace *workspace, uint64_t n)
{
	(void)n;
	(void)madvise(workspace->map[0].bytes, workspace->map[0].size, MADV_DONTNEED);
}

static int make_fresh_pages(struct workspace *workspace, struct err *err)
{
	size_t size = WORKSPACE_FRESH_PAGES * workspace->geometry.page;
	struct workspace_map *fresh, *present;
	int res = workspace_map(workspace, size, true, &fresh, err);

	if (res == 0)
		res = workspace_map(workspace, size, true, &present, err);
	if (res)
		return res;
	workspace_lock(workspace, present);
	workspace->view.trigger = fresh->bytes;
	workspace->view.control = present->bytes;
	return 0;
}

const struct workspace_kind workspace_fresh_pages = {
	.what = "pages that are not mapped yet",
	.make = make_fresh_pages,
	.prepare = prepare_fresh_pages,
};

struct answering {
	struct partner pipes;
	pthread_t thread;
	bool is_running;
};

/** Until the question's other end is closed. */
static void *answer(void *argument)
{
	const struct partner *pipes = argument;
	char byte;

	pthread_setname_np(pthread_self(), "m1top/answer");
	while (read(pipes->question[0], &byte, 1) == 1 && write(pipes->answer[1], &byte, 1) == 1)
		;
	return NULL;
}

static int start(struct answering *answering, unsigned cpu)
{
	pthread_attr_t attributes;
	cpu_set_t *set = CPU_ALLOC(cpu + 1);
	size_t size = CPU_ALLOC_SIZE(cpu + 1);
	int code;

	if (!set)
		return ENOMEM;
	CPU_ZERO_S(size, set);
	CPU_SET_S(cpu, size, set);
	pthread_attr_init(&attributes);
	code = pthread_attr_setaffinity_np(&attributes, size, set);
	if (!code)
		code = pthread_create(&answering->thread, &attributes, answer, &answering->pipes);
	pthread_attr_destroy(&attributes);
	CPU_FREE(set);
	answering->is_running = code == 0;
	return code;
}

static int make_partner(struct workspace *workspace, struct err *err)
{
	struct answering *answering = calloc(1, sizeof(*answering));
	struct partner *pipes = &answering->pipes;
	int code;

	if (!answering)
		return err_set(err, ENOMEM, "no memory");
	*pipes = (struct partner){ { -1, -1 }, { -1, -1 }, { -1, -1 } };
	workspace->own = answering;
	workspace->view.third = pipes;
	if (pipe2(pipes->question, O_CLOEXEC) || pipe2(pipes->answer, O_CLOEXEC) ||
	    pipe2(pipes->self, O_CLOEXEC))
		return err_set(err, errno, "a pipe: %s", strerror(errno));
	code = start(answering, workspace->cpu);
	return code ? err_set(err, code, "a thread on CPU %u: %s", workspace->cpu, strerror(code))
		    : 0;
}

static void close_pipe(int *fd)
{
	for (int end = 1; end >= 0; end--)
		if (fd[end] >= 0)
			close(fd[end]);
}

static void end_partner(struct workspace *workspace)
{
	struct answering *answering = workspace->own;

	if (!answering)
		return;
	if (answering->pipes.question[1] >= 0)
		close(answering->pipes.question[1]);
	answering->pipes.question[1] = -1;
	if (answering->is_running)
		pthread_join(answering->thread, NULL);
	close_pipe(answering->pipes.question);
	close_pipe(answering->pipes.answer);
	close_pipe(answering->pipes.self);
	free(answering);
}

const struct workspace_kind workspace_partner = {
	.what = "a thread that answers",
	.make = make_partner,
	.end = end_partner,
};
