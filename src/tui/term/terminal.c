#include "tui/term/terminal.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "tui/term/draw.h"
#include "tui/term/key.h"

/* ---- buffer of the output ---- */

enum { PATIENCE_MS = 300, CHUNK = 16 * 1024 };

/* descriptors are -1 while closed */
static struct {
	int before;   /* the former standard output */
	int terminal; /* the same terminal, non-blocking */
	off_t sent;   /* bytes of the buffer already written */
	bool is_behind;
	int claimed; /* opened by tty_buffer_claim, until tty_buffer_open */
} tty_buffer = { .before = -1, .terminal = -1, .claimed = -1 };

void tty_buffer_claim(void)
{
	/* again: the caller's descriptor is shared with the shell and must stay blocking */
	if (tty_buffer.claimed < 0)
		tty_buffer.claimed =
			open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	/* another user's terminal (su) cannot be opened: then writes block */
	if (tty_buffer.claimed < 0)
		tty_buffer.claimed = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
}

int tty_buffer_open(struct err *err)
{
	AUTO_FD int kept = memfd_create("screen", MFD_CLOEXEC);
	int rc;

	tty_buffer.sent = 0;
	tty_buffer.is_behind = false;
	tty_buffer.before = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	tty_buffer_claim();
	tty_buffer.terminal = tty_buffer.claimed;
	tty_buffer.claimed = -1;
	if (kept < 0 || tty_buffer.before < 0 || tty_buffer.terminal < 0 ||
	    dup2(kept, STDOUT_FILENO) < 0) {
		rc = err_set(err, errno, "the terminal cannot be used: %s", strerror(errno));
		tty_buffer_close();
		return rc;
	}
	return 0;
}

void tty_buffer_close(void)
{
	if (tty_buffer.before >= 0) {
		dup2(tty_buffer.before, STDOUT_FILENO);
		close(tty_buffer.before);
	}
	if (tty_buffer.terminal >= 0)
		close(tty_buffer.terminal);
	tty_buffer.before = tty_buffer.terminal = -1;
}

static void forget_kept(void)
{
	tty_buffer.sent = 0;
	lseek(STDOUT_FILENO, 0, SEEK_SET);
	if (ftruncate(STDOUT_FILENO, 0) < 0)
		return; /* cannot fail: the file is in memory */
}

/* @return bytes that the terminal has taken; 0: all is written; -1: it takes no more now */
static ssize_t send_some(void)
{
	char bytes[CHUNK];
	ssize_t n = pread(STDOUT_FILENO, bytes, sizeof(bytes), tty_buffer.sent), taken;

	if (n <= 0)
		return 0;
	taken = write(tty_buffer.terminal, bytes, (size_t)n);
	/* a terminal that is gone takes everything */
	return taken >= 0 ? taken : errno == EAGAIN ? -1 : 0;
}

bool tty_buffer_flush(void)
{
	ssize_t taken;

	if (tty_buffer.terminal < 0)
		return true;
	while ((taken = send_some()) > 0)
		tty_buffer.sent += taken;
	tty_buffer.is_behind = taken < 0;
	if (!tty_buffer.is_behind)
		forget_kept();
	return !tty_buffer.is_behind;
}

bool tty_buffer_drain(void)
{
	uint64_t end_ns = clock_now_ns() + PATIENCE_MS * NS_PER_MS;
	struct pollfd terminal = { .fd = tty_buffer.terminal, .events = POLLOUT };

	while (!tty_buffer_flush() && clock_now_ns() < end_ns)
		poll(&terminal, 1, PATIENCE_MS);
	return !tty_buffer.is_behind;
}

int tty_buffer_waits_for(void)
{
	return tty_buffer.is_behind ? tty_buffer.terminal : -1;
}

/* Return the descriptor of the terminal, which bypasses the buffer. Async-signal-safe. */
static int tty_buffer_terminal(void)
{
	return tty_buffer.terminal >= 0 ? tty_buffer.terminal : STDOUT_FILENO;
}

/* ---- terminal ---- */

/* Report presses and the wheel in decimal numbers (SGR); a terminal without that uses the older form,
 * which is limited to 223 columns. With Shift held the terminal's own selection works. */
#define MOUSE_ON  "\033[?1000h\033[?1006h"
#define MOUSE_OFF "\033[?1006l\033[?1000l"

static const int fatal_signals[] = { SIGSEGV, SIGBUS, SIGFPE,  SIGILL,
				     SIGABRT, SIGSYS, SIGTRAP, SIGQUIT };

/* State of the fatal handler, prepared in advance: it must not allocate or lock. */
static struct {
	FILE *out; /* for curses, on standard output; `stdout` lets no sequence pass (cmd/shared/standard_output.h) */
	SCREEN *screen;
	bool has_mouse;
	struct termios before, during;
	char restore[256]; /* leaves the alternate screen, shows the cursor, resets colours */
	size_t n_restore;
	struct sigaction before_fatal[ARRAY_SIZE(fatal_signals)];
	char stack[64 * 1024];
} terminal;

static bool moves_cursor(const char *term)
{
	int status;
	bool can;

	if (setupterm(term, STDOUT_FILENO, &status) != OK)
		return false;
	can = cursor_address != NULL;
	del_curterm(cur_term);
	return can;
}

int terminal_check(struct err *err)
{
	const char *term = getenv("TERM");

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return err_set(
			err, ENOTTY,
			"the live screen needs a terminal; use `m1top stat` for a file or pipe");
	if (!term || !*term || strcmp(term, "dumb") == 0)
		return err_set(err, ENOTTY,
			       "the terminal (TERM=%s) cannot move its cursor; use `m1top stat`",
			       term ? term : "");
	if (!moves_cursor(term))
		return err_set(err, ENOTTY,
			       "unknown terminal type \"%s\"; set TERM (TERM=xterm suits most) or "
			       "use `m1top stat`",
			       term);
	return 0;
}

static void restore(void)
{
	ssize_t ignored = write(tty_buffer_terminal(), terminal.restore, terminal.n_restore);

	(void)ignored;
	tcsetattr(STDIN_FILENO, TCSANOW, &terminal.before);
}

static const struct sigaction *action_before(int signo)
{
	size_t i = 0;

	while (fatal_signals[i] != signo)
		i++;
	return &terminal.before_fatal[i];
}

/* Restore the terminal and die. A sanitizer's handler reports before that. */
static void on_fatal(int signo, siginfo_t *info, void *context)
{
	const struct sigaction *before = action_before(signo);

	restore();
	if (before->sa_flags & SA_SIGINFO)
		before->sa_sigaction(signo, info, context);
	/* the handler was reset on entry: the process dies of the same signal, with its core file */
	raise(signo);
}

/* Call the earlier handler of SIGILL, which survives registers that cannot be read. If it gives up, it has
 * set the default action and the signal comes again: restore the terminal for that. */
static void on_sigill(int signo, siginfo_t *info, void *context)
{
	struct sigaction now;

	action_before(signo)->sa_sigaction(signo, info, context);
	if (!sigaction(SIGILL, NULL, &now) && now.sa_handler == SIG_DFL)
		restore();
}

static void add_restore(const char *sequence)
{
	size_t n = sequence && sequence != (char *)-1 ? strlen(sequence) : 0;

	if (terminal.n_restore + n > sizeof(terminal.restore))
		return;
	memcpy(terminal.restore + terminal.n_restore, sequence ? sequence : "", n);
	terminal.n_restore += n;
}

static void catch_fatal(void)
{
	struct sigaction action = { .sa_sigaction = on_fatal,
				    .sa_flags = (int)(SA_SIGINFO | SA_RESETHAND | SA_NODEFER |
						      SA_ONSTACK) };
	struct sigaction chained = { .sa_sigaction = on_sigill,
				     .sa_flags = SA_SIGINFO | SA_ONSTACK };
	stack_t stack = { .ss_sp = terminal.stack, .ss_size = sizeof(terminal.stack) };

	terminal.n_restore = 0;
	if (terminal.has_mouse)
		add_restore(MOUSE_OFF);
	add_restore(orig_pair);
	if (theme_has_own_palette())
		add_restore(orig_colors);
	add_restore(exit_attribute_mode);
	add_restore(keypad_local);
	add_restore(exit_ca_mode);
	add_restore(cursor_normal);
	sigaltstack(&stack, NULL);
	sigfillset(&action.sa_mask);
	for (size_t i = 0; i < ARRAY_SIZE(fatal_signals); i++) {
		sigdelset(&action.sa_mask, fatal_signals[i]);
		sigaction(fatal_signals[i], NULL, &terminal.before_fatal[i]);
		sigaction(fatal_signals[i], &action, NULL);
	}
	if (action_before(SIGILL)->sa_flags & SA_SIGINFO)
		sigaction(SIGILL, &chained, NULL);
}

/* Define Shift with arrows, Home and End as terminals like xterm send them: terminal descriptions are
 * incomplete. That of screen lacks the arrows, that of xterm the sequences of tmux and PuTTY. */
static void define_keys(void)
{
	static const struct {
		const char *bytes;
		int key;
	} sent[] = {
		{ "\033[1;2D", KEY_SLEFT }, { "\033[1;2C", KEY_SRIGHT }, { "\033[d", KEY_SLEFT },
		{ "\033[c", KEY_SRIGHT },   { "\033[1~", KEY_HOME },     { "\033[7~", KEY_HOME },
		{ "\033[H", KEY_HOME },     { "\033OH", KEY_HOME },      { "\033[4~", KEY_END },
		{ "\033[8~", KEY_END },     { "\033[F", KEY_END },       { "\033OF", KEY_END },
	};

	for (size_t i = 0; i < ARRAY_SIZE(sent); i++)
		if (!key_defined(sent[i].bytes))
			define_key(sent[i].bytes, sent[i].key);
}

static bool is_linux_console(void)
{
	const char *term = getenv("TERM");

	return term && (strcmp(term, "linux") == 0 || strncmp(term, "linux-", 6) == 0);
}

static void switch_mouse(bool on)
{
	if (!terminal.has_mouse)
		return;
	fputs(on ? MOUSE_ON : MOUSE_OFF, terminal.out);
	fflush(terminal.out);
}

/* Enable mouse reports. They are read here and not by curses, which uses the older form if the database
 * names that, as for tmux and screen. */
static void start_mouse(bool mouse)
{
	terminal.has_mouse = mouse && key_mouse && key_mouse != (char *)-1;
	if (!terminal.has_mouse)
		return;
	define_key("\033[<", KEYS_SGR);
	define_key("\033[M", KEYS_X10);
	switch_mouse(true);
}

/* Larger than any screen. Beyond 32767 curses takes a size for a negative number, and it keeps each cell
 * in memory three times. */
enum { LINES_MOST = 1024, COLUMNS_MOST = 2048 };

/* Read the terminal's size, limited to the maximum. @return false: unknown */
static bool ask_size(struct winsize *ret, bool *ret_is_beyond)
{
	if (ioctl(tty_buffer_terminal(), TIOCGWINSZ, ret) || !ret->ws_row || !ret->ws_col)
		return false;
	*ret_is_beyond = ret->ws_row > LINES_MOST || ret->ws_col > COLUMNS_MOST;
	if (ret->ws_row > LINES_MOST)
		ret->ws_row = LINES_MOST;
	if (ret->ws_col > COLUMNS_MOST)
		ret->ws_col = COLUMNS_MOST;
	return true;
}

static SCREEN *new_screen(void)
{
	struct winsize size;
	bool is_beyond = false;
	SCREEN *screen;

	if (!terminal.out)
		terminal.out = fdopen(STDOUT_FILENO, "w");
	if (!terminal.out)
		return NULL;
	ask_size(&size, &is_beyond);
	use_env(!is_beyond); /* curses must not ask for a size beyond the maximum */
	screen = newterm(NULL, terminal.out, stdin);
	if (screen && is_beyond)
		resizeterm(size.ws_row, size.ws_col);
	return screen;
}

bool terminal_needs_ascii(void)
{
	/* the console's fonts have few characters */
	setlocale(LC_CTYPE, "");
	return strcmp(nl_langinfo(CODESET), "UTF-8") != 0 || is_linux_console();
}

/* Make curses write a whole screen at once. Before the first endwin() it flushes after each movement of the cursor, and it
 * polls the keyboard every few lines. */
static void write_whole_screens(void)
{
	typeahead(-1);
	endwin();
	refresh();
	forget_kept();
	terminal_repaint();
}

static void leave_to_loop(int number UNUSED)
{
}

int terminal_start(bool ascii, const struct theme *theme, bool mouse, struct err *err)
{
	ascii |= terminal_needs_ascii();
	tcgetattr(STDIN_FILENO, &terminal.before);
	/* The main loop handles SIGTSTP. Curses ignores it while it draws, which drops one that the loop has not read, unless it
	 * has a handler before curses starts. */
	signal(SIGTSTP, leave_to_loop);
	terminal.screen = new_screen();
	signal(SIGTSTP, SIG_DFL);
	if (!terminal.screen)
		return err_set(err, ENOTTY, "the terminal cannot be used; use `m1top stat`");
	set_escdelay(25);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	define_keys();
	nodelay(stdscr, TRUE);
	curs_set(0);
	theme_start(theme);
	start_mouse(mouse);
	catch_fatal();
	draw_start(ascii);
	tcgetattr(STDIN_FILENO, &terminal.during);

	int rc = tty_buffer_open(err);

	if (rc)
		terminal_stop();
	else
		write_whole_screens();
	return rc;
}

/* Restore the terminal. The sequences must reach it: if it was stopped with Ctrl-S, it is restarted. */
static void give_back(void)
{
	struct termios going = terminal.before;

	switch_mouse(false);
	endwin();
	going.c_iflag &= ~(tcflag_t)IXON;
	if (!tty_buffer_flush())
		tcsetattr(STDIN_FILENO, TCSANOW, &going);
	tty_buffer_drain();
	tcsetattr(STDIN_FILENO, TCSANOW, &terminal.before);
}

void terminal_stop(void)
{
	if (!terminal.screen)
		return;
	give_back();
	tty_buffer_close();
	for (size_t i = 0; i < ARRAY_SIZE(fatal_signals); i++)
		sigaction(fatal_signals[i], &terminal.before_fatal[i], NULL);
	delscreen(terminal.screen);
	terminal.screen = NULL;
}

void terminal_suspend(void)
{
	sigset_t stop;

	give_back();
	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	raise(SIGTSTP);
	/* stops here, until SIGCONT */
	pthread_sigmask(SIG_UNBLOCK, &stop, NULL);
	pthread_sigmask(SIG_BLOCK, &stop, NULL);
	tcsetattr(STDIN_FILENO, TCSANOW, &terminal.during);
	switch_mouse(true);
	terminal_resize();
	terminal_repaint();
}

void terminal_resize(void)
{
	struct winsize size;
	bool is_beyond;

	if (ask_size(&size, &is_beyond))
		resizeterm(size.ws_row, size.ws_col);
}

bool terminal_has_mouse(void)
{
	return terminal.has_mouse;
}

void terminal_set_mouse(bool mouse)
{
	switch_mouse(false);
	start_mouse(mouse);
}

void terminal_repaint(void)
{
	clearok(curscr, TRUE);
}
