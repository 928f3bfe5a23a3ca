#include "cmd/stat/control.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/num.h"
#include "base/invoker.h"

static const struct {
	const char *word;
	enum control_command command;
} words[] = {
	{ "enable", CONTROL_ENABLE },
	{ "disable", CONTROL_DISABLE },
	{ "ping", CONTROL_PING },
	{ "stop", CONTROL_STOP },
};

/* Read and write: so it neither waits for the other side nor ends with it. */
static int open_fifo(const char *path, struct err *err)
{
	struct invoker_was was;
	struct stat st;
	int rc = invoker_become(&was);
	int fd = rc ? rc : open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	int code = rc ? -rc : errno;

	invoker_return(&was);
	if (fd < 0)
		return err_set(err, code, "--control: %s: %s", path, strerror(code));
	if (!fstat(fd, &st) && S_ISFIFO(st.st_mode))
		return fd;
	close(fd);
	return err_set(err, EINVAL, "--control: %s is not a FIFO: make one with mkfifo", path);
}

static int take_fd(const char *number, struct err *err)
{
	uint64_t fd;

	if (num_parse_u64(number, &fd) || fd > INT32_MAX || fcntl((int)fd, F_GETFL) < 0)
		return err_set(err, EINVAL, "--control: %s is not an open file", number);
	return (int)fd;
}

int control_open(const char *spec, struct control *ret, struct err *err)
{
	struct control control = { .fd = -1, .ack_fd = -1 };
	const char *names = spec ? strchr(spec, ':') + 1 : "";
	size_t n = strcspn(names, ",");
	char first[4096];

	*ret = control;
	if (!spec)
		return 0;
	if (n >= sizeof(first))
		return err_set(err, ENAMETOOLONG, "--control: the name is too long");
	snprintf(first, sizeof(first), "%.*s", (int)n, names);
	control.owns = strncmp(spec, "fifo:", 5) == 0;
	control.fd = control.owns ? open_fifo(first, err) : take_fd(first, err);
	if (control.fd < 0)
		return control.fd;
	if (names[n])
		control.ack_fd =
			control.owns ? open_fifo(names + n + 1, err) : take_fd(names + n + 1, err);
	if (names[n] && control.ack_fd < 0) {
		int rc = control.ack_fd;

		control_close(&control);
		return rc;
	}
	*ret = control;
	return 0;
}

void control_close(struct control *control)
{
	if (!control || !control->owns)
		return;
	if (control->fd >= 0)
		close(control->fd);
	if (control->ack_fd >= 0)
		close(control->ack_fd);
	control->fd = control->ack_fd = -1;
}

static bool is_ready(int fd, short events)
{
	struct pollfd ready = { .fd = fd, .events = events };

	return poll(&ready, 1, 0) > 0;
}

/* The line is complete. */
static enum control_command judge(struct control *control, struct err *ret_said)
{
	size_t n = control->n;

	control->n = 0;
	if (!n)
		return CONTROL_NONE;
	n = n < sizeof(control->line) ? n : sizeof(control->line) - 1;
	control->line[n] = '\0';
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(control->line, words[i].word) == 0)
			return words[i].command;
	}
	err_set(ret_said, EINVAL,
		"--control: \"%s\" is ignored: not one of enable, disable, ping, stop",
		control->line);
	return CONTROL_NONE;
}

/* A byte at a time, as what follows the command may be for later. */
enum control_command control_next(struct control *control, struct err *ret_said)
{
	enum control_command command = CONTROL_NONE;

	ret_said->text[0] = '\0';
	while (command == CONTROL_NONE && !*ret_said->text && control->fd >= 0 &&
	       is_ready(control->fd, POLLIN)) {
		char byte;
		ssize_t got = read(control->fd, &byte, 1);

		if (got < 0 && (errno == EINTR || errno == EAGAIN))
			break;
		if (got <= 0) { /* the other side is gone */
			control->fd = control->owns ? control->fd : -1;
			break;
		}
		if (byte == '\n' || byte == '\0')
			command = judge(control, ret_said);
		else if (control->n < sizeof(control->line))
			control->line[control->n++] = byte;
	}
	return command;
}

void control_ack(const struct control *control)
{
	static const char ack[] = "ack\n";

	if (control->ack_fd < 0 || !is_ready(control->ack_fd, POLLOUT))
		return;
	if (write(control->ack_fd, ack, sizeof(ack)) < 0)
		return; /* nobody listens */
}
