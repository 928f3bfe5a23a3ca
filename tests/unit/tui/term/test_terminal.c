/* test_terminal.c: a screen that dies gives the terminal back, also where somebody lives with SIGILL;
 * and a size that no screen has */
#include <pty.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rig/harness.h"
#include "tui/term/draw.h"
#include "tui/term/terminal.h"

#define LEAVES_SCREEN "\033[?1049l"
#define REPORT        "sent by %d"

/* As apple:el0 does: reads of its own are no end, what is not its own is passed on to the default. */
static volatile sig_atomic_t is_its_own;

static void on_sigill(int number, siginfo_t *info, void *context)
{
	const struct sigaction deadly = { .sa_handler = SIG_DFL };

	(void)info;
	(void)context;
	if (is_its_own)
		return;
	sigaction(number, &deadly, NULL);
	raise(number);
}

/* As a sanitizer's. */
static void report(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	dprintf(STDERR_FILENO, REPORT, (int)info->si_pid);
}

/* In a process on a terminal of its own. */
static void play(void (*die)(void))
{
	const struct sigaction action = { .sa_sigaction = on_sigill, .sa_flags = SA_SIGINFO };
	const struct sigaction reporting = { .sa_sigaction = report, .sa_flags = SA_SIGINFO };
	struct err err = { "" };

	setenv("TERM", "xterm-256color", 1);
	sigaction(SIGILL, &action, NULL);
	sigaction(SIGSEGV, &reporting, NULL);
	if (terminal_start(false, theme_monochrome(), true, &err))
		_exit(99);
	die();
	_exit(7); /* the terminal is left as it is */
}

/* @return the wait status; everything that it wrote is in `ret` */
static int run(void (*die)(void), const struct winsize *screen, char *ret, size_t size)
{
	size_t used = 0;
	int terminal, status;
	pid_t pid = forkpty(&terminal, NULL, NULL, screen);
	ssize_t n;

	assert_true(pid >= 0);
	if (!pid)
		play(die);
	while (used + 1 < size && (n = read(terminal, ret + used, size - used - 1)) > 0)
		used += (size_t)n;
	ret[used] = '\0';
	close(terminal);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void lives_with_it(void)
{
	is_its_own = 1;
	raise(SIGILL);
}

static void runs_nonsense(void)
{
	__builtin_trap();
}

static void is_sent_it(void)
{
	raise(SIGILL);
}

static void crashes(void)
{
	raise(SIGSEGV);
}

static void test_fatal(void **state)
{
	static const struct {
		void (*die)(void);
		int signal; /* that ends it; 0: it lives on */
	} table[] = {
		{ crashes, SIGSEGV },
		{ runs_nonsense, SIGILL },
		{ is_sent_it, SIGILL },
		{ lives_with_it, 0 },
	};
	char text[8192], *left;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		int status = run(table[i].die, NULL, text, sizeof(text));

		if (table[i].signal) {
			assert_true(WIFSIGNALED(status));
			assert_int_equal(WTERMSIG(status), table[i].signal);
			left = strstr(text, LEAVES_SCREEN);
			assert_non_null(left);
			assert_int_equal(!!strstr(left, "sent by"), table[i].die == crashes);
		} else {
			assert_true(WIFEXITED(status));
			assert_int_equal(WEXITSTATUS(status), 7);
			assert_null(strstr(text, LEAVES_SCREEN));
		}
	}
}

static void claims_more(void)
{
	const struct winsize huge = { .ws_row = 65535, .ws_col = 65535 };

	if (LINES != 24 || COLS != 80)
		_exit(98);
	ioctl(STDIN_FILENO, TIOCSWINSZ, &huge);
	terminal_resize();
	doupdate();
	tty_buffer_flush();
	if (LINES != 1024 || COLS != 2048)
		_exit(97);
}

static void is_within(void)
{
	if (LINES != 1024 || COLS != 80)
		_exit(96);
	draw_text(1023, 79, 1, ROLE_TEXT, "x");
	doupdate();
	tty_buffer_flush();
}

/* What a terminal says of its size is not believed beyond reason. */
static void test_size(void **state)
{
	const struct winsize usual = { .ws_row = 24, .ws_col = 80 };
	const struct winsize high = { .ws_row = 65535, .ws_col = 80 };
	char text[65536];

	(void)state;
	assert_int_equal(WEXITSTATUS(run(claims_more, &usual, text, sizeof(text))), 7);
	assert_int_equal(WEXITSTATUS(run(is_within, &high, text, sizeof(text))), 7);
}

static void draws_after_ctrl_z(void)
{
	sigset_t stop;

	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	sigprocmask(SIG_BLOCK, &stop, NULL); /* as the main loop does */
	raise(SIGTSTP);
	draw_text(0, 0, 1, ROLE_TEXT, "x");
	refresh();
	sigpending(&stop);
	if (!sigismember(&stop, SIGTSTP))
		_exit(95);
}

/* Ctrl-Z that the loop has not read when it draws is not lost. */
static void test_stop(void **state)
{
	char text[8192];

	(void)state;
	assert_int_equal(WEXITSTATUS(run(draws_after_ctrl_z, NULL, text, sizeof(text))), 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fatal),
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
