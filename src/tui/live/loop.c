#include "tui/live/loop.h"

#include <poll.h>
#include <errno.h>
#include <string.h>
#include <sys/signalfd.h>
#include <signal.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "tui/keys.h"
#include "tui/screen/state.h"
#include "tui/live/lines.h"
#include "tui/term/draw.h"
#include "tui/term/mouse.h"
#include "tui/term/terminal.h"
#include "tui/term/tty_buffer.h"

enum { DRAW_EVERY_MS = 100 /* newer figures; keys at once */, CHORES_EVERY_MS = 1000 };

/* Block the signals that the loop reads from a descriptor; called before any thread is created.
 * @return the descriptor, for the caller to close; or -errno */
static int take_signals(sigset_t *ret_before, struct err *err)
{
	static const int handled[] = { SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(handled); i++)
		sigaddset(&set, handled[i]);
	pthread_sigmask(SIG_BLOCK, &set, ret_before);

	int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);

	return fd >= 0 ? fd : err_set(err, errno, "signalfd: %s", strerror(errno));
}

/* Handle a signal. @return whether it ends the program */
static bool answer_signal(int fd)
{
	struct signalfd_siginfo info;

	if (read(fd, &info, sizeof(info)) != sizeof(info))
		return false;
	switch (info.ssi_signo) {
	case SIGTSTP: terminal_suspend(); return false;
	case SIGCONT: terminal_repaint(); return false;
	case SIGWINCH: terminal_resize(); return false;
	default: return true;
	}
}

struct loop {
	struct tui *tui;
	const struct loop_source *source;
	uint64_t draw_ns;  /* time of the next drawing, CLOCK_MONOTONIC; 0: none */
	uint64_t drawn_ns; /* time of the last drawing */
};

/* Draw the screen into curses; terminal_show outputs it. */
static void loop_draw(struct loop *loop)
{
	struct tui *tui = loop->tui;

	loop->source->fit(tui);
	erase();
	mouse_clear();
	tui->n_seen = 0;
	if (tui->layout.too_small) {
		draw_too_small(LAYOUT_MIN_WIDTH, LAYOUT_MIN_HEIGHT);
	} else {
		loop->source->header(tui);
		tui_view(tui)->draw(tui);
		status_draw(tui);
		if (tui->overlay && tui->overlay->draw)
			tui->overlay->draw(tui);
	}
	wnoutrefresh(stdscr);
}

static void draw_when_due(struct loop *loop)
{
	uint64_t now = clock_now_ns();

	if (!loop->draw_ns || now < loop->draw_ns || !tty_buffer_flush())
		return;
	loop_draw(loop);
	terminal_show();
	loop->draw_ns = 0;
	loop->drawn_ns = now;
}

uint64_t loop_earlier(uint64_t a, uint64_t b)
{
	return !a || (b && b < a) ? b : a;
}

static void loop_note(struct loop *loop, enum picture picture, uint64_t now_ns)
{
	uint64_t at = loop->drawn_ns + DRAW_EVERY_MS * NS_PER_MS;

	if (picture == PICTURE_OTHER)
		loop->draw_ns = now_ns;
	if (picture == PICTURE_NEWER)
		loop->draw_ns = loop_earlier(loop->draw_ns, at > now_ns ? at : now_ns);
}

/* Handle a mouse action. Overlays ignore the wheel. */
static bool press(void *screen, int key)
{
	struct tui *tui = screen;
	bool is_wheel = key == KEYS_WHEEL_UP || key == KEYS_WHEEL_DOWN;

	return !(is_wheel && tui->overlay) && keys_dispatch(tui, key);
}

/* Handle a key. @return whether it was one */
static bool take_key(struct tui *tui, int key, const struct mouse *mouse)
{
	if (key == KEY_RESIZE || (key == KEYS_MOUSE && !mouse->button))
		return false;
	tui->banner_seen = true;
	if (!tui->overlay)
		tui->status[0] = '\0';
	if (key == KEYS_MOUSE)
		mouse_dispatch(mouse, press, tui);
	else
		keys_dispatch(tui, key);
	return true;
}

static int next_key(const struct loop *loop, struct mouse *ret_mouse)
{
	const struct loop_source *source = loop->source;

	return source->holds_keys && source->holds_keys(loop->tui) ? 0 : keys_read(ret_mouse);
}

static enum picture take_keys(struct loop *loop)
{
	enum picture picture = PICTURE_SAME;
	struct mouse mouse;

	for (int key = next_key(loop, &mouse); key; key = next_key(loop, &mouse)) {
		/* a key acts on the screen that the previous key made, even if it was not shown */
		if (picture)
			loop_draw(loop);
		if (take_key(loop->tui, key, &mouse))
			picture = PICTURE_OTHER;
	}
	return picture;
}

/* Calculate the time that poll may sleep: until a drawing or an action of the source is due, ms. */
static int sleep_ms(const struct loop *loop)
{
	uint64_t now = clock_now_ns();
	uint64_t draw_ns = tty_buffer_waits_for() < 0 ? loop->draw_ns : 0;
	uint64_t next = loop_earlier(draw_ns, loop->source->wake_ns(loop->tui, now));

	return next <= now ? 0 : (int)((next - now + NS_PER_MS - 1) / NS_PER_MS);
}

static void poll_once(struct loop *loop, struct pollfd *fds)
{
	const struct loop_source *source = loop->source;
	struct tui *tui = loop->tui;
	uint64_t now = clock_now_ns();

	if (source->step)
		loop_note(loop, source->step(tui, now), now);
	fds[3].fd = tty_buffer_waits_for();

	int ready = poll(fds, 4, sleep_ms(loop));

	now = clock_now_ns();
	if (source->take)
		loop_note(loop, source->take(tui, now), now);
	if (ready > 0 && fds[2].revents) {
		tui->leave |= answer_signal(fds[2].fd);
		loop->draw_ns = now;
	}
	loop_note(loop, take_keys(loop), now);
	if (now >= loop->drawn_ns + CHORES_EVERY_MS * NS_PER_MS)
		loop->draw_ns = now;
	if (ready > 0 && fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
		tui->leave = true;
	if (ready > 0 && fds[3].revents)
		tty_buffer_flush();
	draw_when_due(loop);
}

static void live_loop_run(struct tui *tui, const struct loop_source *source, int signal_fd)
{
	struct loop loop = { .tui = tui, .source = source, .draw_ns = 1 };
	struct pollfd fds[] = {
		{ .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = source->fd ? source->fd(tui) : -1, .events = POLLIN },
		{ .fd = signal_fd, .events = POLLIN },
		{ .fd = -1, .events = POLLOUT }, /* terminal output is pending */
	};

	if (source->begin)
		source->begin(tui);
	draw_when_due(&loop);
	while (!tui->leave)
		poll_once(&loop, fds);
}

static int loop_show(struct tui *tui, const struct loop_source *source, int signal_fd,
		     struct err *err)
{
	const struct tui_config *config = tui->config;
	int r = source->start(tui, err);

	if (r < 0)
		return r;
	r = terminal_start(config->ascii, config->theme, config->mouse, err);
	if (r == 0)
		live_loop_run(tui, source, signal_fd);
	terminal_stop();
	if (source->stop)
		source->stop(tui);
	return r;
}

int loop_run(struct tui *tui, const struct loop_source *source, struct err *err)
{
	sigset_t before;
	int r = terminal_check(err);

	if (r < 0)
		return r;

	AUTO_FD int signal_fd = take_signals(&before, err);

	if (signal_fd < 0)
		return signal_fd;
	r = loop_show(tui, source, signal_fd, err);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return r;
}
