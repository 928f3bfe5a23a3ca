#include "cmd/shared/targets.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "base/text.h"

/* Since Linux 6.9; headers may be older. */
#ifndef PIDFD_THREAD
#define PIDFD_THREAD O_EXCL
#endif

/* "12,34" */
static int parse_ids(const char *list, const char *option, enum target_kind kind,
		     struct task_target *target, size_t *n, struct err *err)
{
	const char *item;
	size_t length;

	while (text_next_item(&list, &item, &length)) {
		char number[16];
		uint64_t id;

		snprintf(number, sizeof(number), "%.*s", (int)length, item);
		if (length >= sizeof(number) || num_parse_u64(number, &id) || !id || id > INT32_MAX)
			return err_set(err, EINVAL, "-%s %.*s: not the number of a %s", option,
				       (int)length, item,
				       kind == TARGET_THREAD ? "thread" : "process");
		target[(*n)++] = (struct task_target){ kind, (pid_t)id };
	}
	return 0;
}

/* A list has fewer items than characters. */
static size_t most_ids(const struct options *options)
{
	return 1 + (options->pids ? strlen(options->pids) : 0) +
	       (options->tids ? strlen(options->tids) : 0);
}

int targets_parse(const struct options *options, struct task_target **ret, size_t *ret_n,
		  struct err *err)
{
	struct task_target *target;
	size_t n = 0;
	int rc = 0;

	*ret = NULL;
	*ret_n = 0;
	if (!options_of_tasks(options))
		return 0;
	target = calloc(most_ids(options), sizeof(*target));
	if (!target)
		return err_set(err, ENOMEM, "out of memory");
	if (!options->pids && !options->tids) /* else the command only says how long */
		target[n++].kind = TARGET_EXEC;
	if (options->pids)
		rc = parse_ids(options->pids, "p", TARGET_PROCESS, target, &n, err);
	if (!rc && options->tids)
		rc = parse_ids(options->tids, "t", TARGET_THREAD, target, &n, err);
	if (rc) {
		free(target);
		return rc;
	}
	*ret = target;
	*ret_n = n;
	return 0;
}

/* Older kernels have no such descriptor of a thread; then it is there as long as /proc has it. */
static bool has_ended(const struct task_target *target)
{
	unsigned flags = target->kind == TARGET_THREAD ? PIDFD_THREAD : 0;
	AUTO_FD int fd = (int)syscall(SYS_pidfd_open, target->id, flags);
	struct pollfd ended = { .fd = fd, .events = POLLIN };
	char path[32];

	if (fd >= 0)
		return poll(&ended, 1, 0) > 0;
	snprintf(path, sizeof(path), "/proc/%d", (int)target->id);
	return access(path, F_OK) != 0;
}

bool targets_have_ended(const struct task_target *target, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!has_ended(&target[i]))
			return false;
	return true;
}
