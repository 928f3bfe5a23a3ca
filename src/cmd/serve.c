/* m1top serve: serves the newest frame over HTTP until a signal or a count ends it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/invoker.h"
#include "base/rights.h"
#include "cmd/shared/command.h"
#include "cmd/shared/setup.h"
#include "cmd/verbs.h"
#include "session/http.h"
#include "session/writer.h"
#include "session/openmetrics.h"

#define TEXT_PLAIN     "text/plain; charset=utf-8"

/* Default port, outside the exporters' range (9100-9999, all allocated) and not registered with IANA. */
#define LISTEN_DEFAULT "127.0.0.1:10410"

enum { QUEUE_DEPTH = 256 };

/* Pages that never change. */
enum fixed_page {
	PAGE_LANDING,
	PAGE_NOT_FOUND,
	PAGE_HEALTHY,
	PAGE_STUCK,
	PAGE_UNLOGGED,
	N_FIXED_PAGES
};

static const struct {
	unsigned status;
	const char *type, *text;
} fixed_pages[N_FIXED_PAGES] = {
	[PAGE_LANDING] = { 200, "text/html; charset=utf-8",
			   "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
			   "<title>m1top</title>\n<h1>m1top " M1TOP_VERSION "</h1>\n"
			   "<p>Hardware performance counters of every core, for Prometheus.</p>\n"
			   "<ul>\n<li><a href=\"metrics\">metrics</a></li>\n"
			   "<li><a href=\"-/healthy\">health</a></li>\n</ul>\n</html>\n" },
	[PAGE_NOT_FOUND] = { 404, TEXT_PLAIN, "Not found. See /metrics.\n" },
	[PAGE_HEALTHY] = { 200, TEXT_PLAIN, "m1top counts.\n" },
	[PAGE_STUCK] = { 503, TEXT_PLAIN, "No counts for two intervals.\n" },
	[PAGE_UNLOGGED] = { 503, TEXT_PLAIN, "The session log has stopped.\n" },
};

struct serve {
	const struct options *options;
	struct setup setup;
	struct command command; /* for its signals only */
	struct listen_address address;
	struct web_config web;
	struct admit admit;
	struct queue *queue;
	struct log *log;
	struct format_context context;
	struct totals totals;
	struct http *http;
	int listen_fd; /* -1: owned by http */
	bool is_listening;
	struct http_page *scrape[N_OPENMETRICS_FLAVOURS]; /* newest; NULL: not requested */
	uint64_t zero_wall_ns; /* time 0 of the session on the wall clock of these pages */
	struct http_page *fixed[N_FIXED_PAGES];
	bool log_has_died;
};

/* ---- pages ---- */

static void forget_scrapes(struct serve *serve)
{
	for (unsigned i = 0; i < N_OPENMETRICS_FLAVOURS; i++) {
		http_page_free(serve->scrape[i]);
		serve->scrape[i] = NULL;
	}
}

/* Discard the pages after a step of the wall clock, because their times are wrong. */
static void check_wall_clock(struct serve *serve, uint64_t now_ns)
{
	int64_t step_ns = (int64_t)(clock_wall_ns() - now_ns - serve->zero_wall_ns);

	if (step_ns < (int64_t)NS_PER_MS && step_ns > -(int64_t)NS_PER_MS)
		return;
	serve->zero_wall_ns += (uint64_t)step_ns;
	forget_scrapes(serve);
}

static const struct http_page *scrape(struct serve *serve, const struct http_request *request)
{
	enum openmetrics_flavour flavour = openmetrics_accepted(request->accept);
	struct text text = { 0 };
	struct openmetrics_own own;
	uint64_t now_ns = sampler_now_ns(serve->setup.sampler);

	check_wall_clock(serve, now_ns);
	if (serve->scrape[flavour])
		return serve->scrape[flavour];
	openmetrics_own(&serve->context, now_ns, &own);
	own.has_log = serve->log != NULL;
	own.log_is_running = !serve->log_has_died;
	openmetrics_write(&serve->context, &serve->totals, &own, flavour, &text);
	if (text.failed) {
		text_fini(&text);
		return NULL;
	}
	if (http_page_new(200, openmetrics_type[flavour], text.bytes, text.n,
			  &serve->scrape[flavour]))
		return NULL;
	return serve->scrape[flavour];
}

static const struct http_page *health(const struct serve *serve)
{
	const struct sampler *sampler = serve->setup.sampler;
	uint64_t last_ns = serve->totals.newest ? serve->totals.newest->t_ns : 0;

	if (sampler_now_ns(sampler) > last_ns + 2 * sampler_interval(sampler) + 2 * NS_PER_S)
		return serve->fixed[PAGE_STUCK];
	return serve->fixed[serve->log_has_died ? PAGE_UNLOGGED : PAGE_HEALTHY];
}

static const struct http_page *serve_answer(void *data, const struct http_request *request)
{
	struct serve *serve = data;

	if (strcmp(request->path, "/metrics") == 0)
		return scrape(serve, request);
	if (strcmp(request->path, "/") == 0)
		return serve->fixed[PAGE_LANDING];
	if (strcmp(request->path, "/-/healthy") == 0)
		return health(serve);
	return serve->fixed[PAGE_NOT_FOUND];
}

static int make_pages(struct serve *serve, struct err *err)
{
	for (unsigned i = 0; i < N_FIXED_PAGES; i++) {
		char *text = strdup(fixed_pages[i].text);

		if (!text || http_page_new(fixed_pages[i].status, fixed_pages[i].type, text,
					   strlen(text), &serve->fixed[i]))
			return err_set(err, ENOMEM, "out of memory");
	}
	return 0;
}

/* Check who can reach the address: TLS identifies the server, not the clients. */

static int check_exposure(const struct serve *serve, struct err *err)
{
	char name[LISTEN_NAME_MAX];

	if (serve->address.is_loopback || serve->web.n_users || serve->options->insecure)
		return 0;
	return err_set(err, EINVAL,
		       "--listen %s would show this machine's counters to everyone who can reach "
		       "it: use --web-config FILE with %s, or --insecure",
		       listen_name(&serve->address, name, sizeof(name)),
		       serve->web.cert ? "basic_auth_users (a certificate does not restrict access)"
				       : "a certificate and passwords");
}

static bool is_unix(const struct serve *serve)
{
	return serve->address.addr.ss_family == AF_UNIX;
}

static int open_door(struct serve *serve, struct err *err)
{
	const struct options *options = serve->options;
	int rc = listen_parse(options->listen ? options->listen : LISTEN_DEFAULT, &serve->address,
			      err);

	if (rc)
		return err_prefix(err, -rc, "--listen ");
	if (options->web_config)
		rc = web_config_read(options->web_config, &serve->web, err);
	if (!rc)
		rc = check_exposure(serve, err);
	if (!rc && options->user_only && !is_unix(serve))
		rc = err_set(err, EINVAL,
			     "--user-only needs --listen unix:PATH: over TCP the user of a client "
			     "is not known");
	if (rc)
		return rc;
	serve->admit = (struct admit){
		.address = &serve->address,
		.hosts = options->hosts,
		/* with passwords: a page of another site cannot know one, and other machines may
		 * use any name for this one */
		.any_host = serve->web.n_users && !serve->address.is_loopback,
		.user_only = options->user_only,
		.user = invoker_uid(),
	};

	rc = listen_open(&serve->address, &serve->listen_fd, err);
	serve->is_listening = !rc;
	return rc;
}

static int open_http(struct serve *serve, struct err *err)
{
	const struct http_config config = {
		.listen_fd = serve->listen_fd,
		.admit = &serve->admit,
		.web = &serve->web,
		.answer = serve_answer,
		.data = serve,
	};
	int rc = http_open(&config, &serve->http, err);

	if (!rc)
		serve->listen_fd = -1;
	return rc;
}

static void announce(const struct serve *serve)
{
	char name[LISTEN_NAME_MAX];

	listen_name(&serve->address, name, sizeof(name));
	fprintf(stderr, "m1top: serving http%s://%s/metrics%s%s\n", serve->web.cert ? "s" : "",
		is_unix(serve) ? "localhost" : name, is_unix(serve) ? " at " : "",
		is_unix(serve) ? name : "");
	if (serve->address.is_loopback && !serve->web.n_users && !is_unix(serve))
		fprintf(stderr, "m1top: every user of this machine can read it; use --listen "
				"unix:PATH or passwords (--web-config) to restrict access\n");
	if (serve->web.n_users && !serve->web.cert && !serve->address.is_loopback)
		fprintf(stderr, "m1top: passwords are sent in clear text: add a certificate "
				"(tls_server_config in --web-config)\n");
}

/* ---- counting ---- */

/* Watch the log. Serving continues without it: the metrics matter more. */
static void watch_log(struct serve *serve)
{
	struct log_status status;
	struct err warning;

	if (!serve->log || serve->log_has_died)
		return;
	if (log_take_warning(serve->log, &warning))
		messages_add(&serve->setup.messages, MESSAGE_WARNING, "%s", warning.text);
	log_status(serve->log, &status);
	if (status.running)
		return;
	serve->log_has_died = true;
	forget_scrapes(serve);
	messages_add(&serve->setup.messages, MESSAGE_ERROR, "the log has stopped: %s",
		     status.error.text);
}

/* Take frames from the queue. @n  frames in the queue */
static int take_frames(struct serve *serve, unsigned n)
{
	const struct frame *frame;
	uint64_t lost, begun_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	int rc = 0;

	for (; !rc && n; n--) {
		frame = queue_pop(serve->queue, &lost);
		watch_frame(serve->setup.watch, frame);
		forget_scrapes(serve);
		armed_frame(&serve->setup.armed, frame);
		rc = totals_add(&serve->totals, frame, lost);
		frame_unref(frame);
	}
	sampler_add_for_frames(serve->setup.sampler, clock_ns(CLOCK_THREAD_CPUTIME_ID) - begun_ns);
	return rc;
}

static int serve_drain(struct serve *serve, struct err *err)
{
	unsigned n = queue_clear(serve->queue);
	int rc = n ? take_frames(serve, n) : 0;

	watch_log(serve);
	setup_tell(&serve->setup);
	return rc ? err_set(err, -rc, "out of memory") : 0;
}

static bool is_over(const struct serve *serve)
{
	const struct options *options = serve->options;

	return serve->command.interrupted || setup_ended(&serve->setup, NULL) ||
	       (options->count && serve->totals.n_frames >= options->count);
}

static int serve_start(struct serve *serve, struct err *err)
{
	struct setup *setup = &serve->setup;
	const struct options *options = serve->options;
	pthread_t worker;
	int rc = sampler_subscribe(setup->sampler, QUEUE_DEPTH, &serve->queue, err);

	if (!rc && options->output)
		rc = log_start(setup->sampler, &setup->metrics, NULL, options->output,
			       options->output_mode, &options->limits, &serve->log, err);
	if (rc)
		return rc;
	setup->armed.log = &serve->log;
	/* the budget excludes the answering threads: no interval changes the cost of clients */
	sampler_exclude_thread(setup->sampler, pthread_self());
	if (http_worker(serve->http, &worker))
		sampler_exclude_thread(setup->sampler, worker);
	rc = sampler_start(setup->sampler, &setup->first, err);
	if (!rc && options->n_cgroups)
		rc = backend_has_cgroups(setup->backend, err);
	if (rc)
		return rc;
	format_context_init(&serve->context, setup->sampler, &setup->metrics);
	serve->context.shown = setup->selection.number;
	serve->context.n_shown = setup->selection.n;
	return 0;
}

/* What wakes the main loop, as bits. */
enum { FRAMES = 1, SIGNALS = 2, REQUESTS = 4, N_SOURCES = 3 };

/* Open an epoll descriptor of all sources: a request costs a quarter less than by poll. */
static int sources_open(const struct serve *serve, struct err *err)
{
	const int source[N_SOURCES] = { queue_fd(serve->queue), serve->command.signal_fd,
					http_fd(serve->http) };
	AUTO_FD int fd = epoll_create1(EPOLL_CLOEXEC);
	int ret = fd;

	for (unsigned i = 0; i < N_SOURCES; i++) {
		struct epoll_event event = { .events = EPOLLIN, .data.u32 = 1U << i };

		if (fd < 0 || epoll_ctl(fd, EPOLL_CTL_ADD, source[i], &event))
			return err_set(err, errno, "epoll: %s", strerror(errno));
	}
	fd = -1;
	return ret;
}

/* @return bits of the sources that are ready */
static unsigned sources_wait(int fd, int timeout_ms)
{
	struct epoll_event event[N_SOURCES];
	int n = epoll_wait(fd, event, N_SOURCES, timeout_ms);
	unsigned ready = 0;

	while (n > 0)
		ready |= event[--n].data.u32;
	return ready;
}

static int serve_count(struct serve *serve, struct err *err)
{
	int rc = serve_start(serve, err);

	if (rc)
		return rc;

	AUTO_FD int sources = sources_open(serve, err);

	if (sources < 0)
		return sources;
	announce(serve);
	while (!rc && !is_over(serve)) {
		unsigned ready = sources_wait(sources, http_timeout_ms(serve->http));

		if (ready & SIGNALS)
			command_signals(&serve->command);
		sampler_service(serve->setup.sampler);
		if (ready != REQUESTS) /* a request alone brings no frame */
			rc = serve_drain(serve, err);
		http_run(serve->http);
	}
	sampler_stop(serve->setup.sampler);
	return rc;
}

static int serve_prepare(struct serve *serve, struct err *err)
{
	rights_hide_memory(); /* hide keys and passwords */

	int rc = http_load(err);

	if (!rc)
		rc = open_door(serve, err);
	if (!rc)
		rc = setup_open(serve->options, 0, &serve->setup, err);
	if (!rc)
		rc = setup_keep_rights(serve->options, serve->setup.backend, RIGHT_REAL_TIME, err);
	rights_hide_memory(); /* changing ids made the memory readable again */
	if (rc)
		return rc;
	if (serve->setup.backend->virtual_clock)
		return err_set(err, EINVAL, "serve needs the real clock, not a virtual one");
	set_add_activity(serve->setup.events, &serve->setup.first);
	totals_init(&serve->totals, &serve->setup.backend->machine, serve->options->n_tasks,
		    serve->options->n_cgroups);
	serve->setup.first.by_task = serve->options->n_tasks || serve->options->n_cgroups;
	if (!serve->setup.first.by_task &&
	    (rc = setup_refuse_times(serve->options, &serve->setup, err)))
		return rc;
	watch_pauses_tasks(serve->setup.watch);
	setup_note_simulated(&serve->setup);
	setup_tell(&serve->setup);
	rc = make_pages(serve, err);
	return rc ? rc : open_http(serve, err);
}

static int cmd_serve_run(struct serve *serve, struct err *err)
{
	struct err log_err = { "" }, warning = { "" };
	int rc = serve_prepare(serve, err);

	if (!rc)
		rc = command_init(&serve->command, err);
	if (rc)
		return rc;
	rc = serve_count(serve, err);
	watch_end(serve->setup.watch);

	int stopped = log_stop(serve->log, &warning, &log_err);

	if (*warning.text)
		messages_add(&serve->setup.messages, MESSAGE_WARNING, "%s", warning.text);
	setup_tell(&serve->setup);

	command_fini(&serve->command);
	if (!rc && !stopped)
		rc = setup_ended(&serve->setup, err);
	if (rc || !stopped)
		return rc;
	return err_set(err, EIO, "the log is not complete: %s", log_err.text);
}

static void serve_take_apart(struct serve *serve)
{
	http_close(serve->http);
	forget_scrapes(serve);
	for (unsigned i = 0; i < N_FIXED_PAGES; i++)
		http_page_free(serve->fixed[i]);
	if (serve->listen_fd >= 0)
		close(serve->listen_fd);
	if (serve->is_listening)
		listen_remove(&serve->address);
	totals_fini(&serve->totals);
	if (serve->queue)
		sampler_unsubscribe(serve->setup.sampler, serve->queue);
	setup_close(&serve->setup);
	web_config_fini(&serve->web);
}

int serve_run(const struct options *options)
{
	static struct serve serve; /* sets are large */
	struct err err = { "" };

	serve.options = options;
	serve.listen_fd = -1;

	int rc = cmd_serve_run(&serve, &err);

	serve_take_apart(&serve);
	return options_end(rc, &err);
}
