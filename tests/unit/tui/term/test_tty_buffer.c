/* test_tty_buffer.c: what a terminal does not take is kept, in order, and nobody waits for it */
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "rig/harness.h"
#include "tui/term/terminal.h"

/* More than a terminal holds that nobody reads: numbers of eight digits. */
enum { NUMBERS = 20000, NUMBER_LENGTH = 8 };

static bool write_numbers(void)
{
	char text[NUMBER_LENGTH + 1];

	for (unsigned i = 0; i < NUMBERS; i++) {
		snprintf(text, sizeof(text), "%08u", i);
		if (write(STDOUT_FILENO, text, NUMBER_LENGTH) != NUMBER_LENGTH)
			return false;
	}
	return true;
}

/* In a process on a terminal of its own. @return the exit status: where it went wrong */
static int play(void)
{
	struct err err = { "" };
	struct pollfd terminal = { .events = POLLOUT };

	if (tty_buffer_open(&err) || isatty(STDOUT_FILENO))
		return 1;
	if (!tty_buffer_flush() || tty_buffer_waits_for() >= 0)
		return 2;
	if (!write_numbers() || tty_buffer_flush() || tty_buffer_waits_for() < 0)
		return 3;
	if (tty_buffer_drain())
		return 4;
	raise(SIGSTOP); /* from here on it is read */
	while (!tty_buffer_flush()) {
		terminal.fd = tty_buffer_waits_for();
		poll(&terminal, 1, -1);
	}
	if (tty_buffer_waits_for() >= 0)
		return 5;
	tty_buffer_close();
	if (!isatty(STDOUT_FILENO) || fcntl(STDOUT_FILENO, F_GETFL) & O_NONBLOCK)
		return 6;
	return write(STDOUT_FILENO, "end", 3) == 3 ? 0 : 7;
}

/* @return how many of the numbers came in their order */
static unsigned read_numbers(int terminal, char *ret_rest, size_t size)
{
	char text[NUMBER_LENGTH + 1] = "", expected[NUMBER_LENGTH + 1];
	unsigned n = 0;
	size_t used = 0;

	while (read(terminal, text + used, 1) == 1) {
		if (++used < NUMBER_LENGTH)
			continue;
		snprintf(expected, sizeof(expected), "%08u", n);
		if (strcmp(text, expected) != 0)
			break;
		n++;
		used = 0;
	}
	snprintf(ret_rest, size, "%.*s", (int)used, text);
	return n;
}

static void test_stopped(void **state)
{
	char rest[NUMBER_LENGTH + 1];
	int terminal, status;
	pid_t pid = forkpty(&terminal, NULL, NULL, NULL);

	(void)state;
	assert_true(pid >= 0);
	if (!pid)
		_exit(play());
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	if (!WIFSTOPPED(status))
		fail_msg("it ended with %d before anything was read", WEXITSTATUS(status));
	kill(pid, SIGCONT);
	assert_int_equal(read_numbers(terminal, rest, sizeof(rest)), NUMBERS);
	assert_string_equal(rest, "end");
	close(terminal);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
