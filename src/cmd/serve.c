/* m1top serve: the newest frame for whoever asks over HTTP, until a signal or a count ends it. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/invoker.h"
#include "base/rights.h"
#include "cmd/shared/command.h"
#include "cmd/shared/setup.h"
#include "cmd/shared/verbs.h"
#include "session/serve/http.h"
#include "session/access/listen.h"
#include "session/write/log.h"
#include "session/serve/openmetrics.h"

/* Not in the range of the other exporters (9100-9999 are given away), nor IANA's. */
#define LISTEN_DEFAULT "127.0.0.1:10410"

enum { QUEUE_DEPTH = 256 };

static const char text_plain[] = "text/plain; charset=utf-8";

struct serve {
	const struct options *options;
	struct setup setup;
	struct command command; /* for its signals */
	struct listen_address address;
	struct web_config web;
	struct admit admit;
	struct queue *queue;
	struct log *log;
	struct format_context context;
	struct totals totals;
	struct http *http;
	int listen_fd; /* -1: http has it */
	bool is_listening;
	struct http_page
		*scrape[N_OPENMETRICS_FLAVOURS]; /* of the newest frame; NULL: not asked for */
	uint64_t zero_wall_ns; /* time 0 of the session by the wall clock of those */
	struct http_page *landing, *not_found, *healthy, *stuck, *unlogged;
	bool log_has_died;
};

/* Pages */

static void forget_scrapes(struct serve *serve)
{
	for (unsigned i = 0; i < N_OPENMETRICS_FLAVOURS; i++) {
		http_page_free(serve->scrape[i]);
		serve->scrape[i] = NULL;
	}
}

/* What was written before the wall clock was set has the wrong times. */
static void heed_wall_clock(struct serve *serve, uint64_t now_ns)
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

	heed_wall_clock(serve, now_ns);
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

static bool is_stuck(const struct serve *serve)
{
	const struct sampler *sampler = serve->setup.sampler;
	uint64_t last_ns = serve->totals.newest ? serve->totals.newest->t_ns : 0;

	return sampler_now_ns(sampler) > last_ns + 2 * sampler_interval(sampler) + 2 * NS_PER_S;
}

static const struct http_page *health(const struct serve *serve)
{
	if (is_stuck(serve))
		return serve->stuck;
	return serve->log_has_died ? serve->unlogged : serve->healthy;
}

static const struct http_page *answer(void *data, const struct http_request *request)
{
	struct serve *serve = data;

	if (strcmp(request->path, "/metrics") == 0)
		return scrape(serve, request);
	if (strcmp(request->path, "/") == 0)
		return serve->landing;
	if (strcmp(request->path, "/-/healthy") == 0)
		return health(serve);
	return serve->not_found;
}

static int page(unsigned status, const char *type, const char *text, struct http_page **ret)
{
	char *copy = strdup(text);

	return copy ? http_page_new(status, type, copy, strlen(copy), ret) : -ENOMEM;
}

static int make_pages(struct serve *serve, struct err *err)
{
	static const char landing[] =
		"<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
		"<title>m1top</title>\n<h1>m1top " M1TOP_VERSION "</h1>\n"
		"<p>Hardware performance counters of every core, for Prometheus.</p>\n"
		"<ul>\n<li><a href=\"metrics\">metrics</a></li>\n"
		"<li><a href=\"-/healthy\">health</a></li>\n</ul>\n</html>\n";

	if (page(200, "text/html; charset=utf-8", landing, &serve->landing) ||
	    page(404, text_plain, "Not found. See /metrics.\n", &serve->not_found) ||
	    page(200, text_plain, "m1top counts.\n", &serve->healthy) ||
	    page(503, text_plain, "No counts for two intervals.\n", &serve->stuck) ||
	    page(503, text_plain, "The session log has stopped.\n", &serve->unlogged))
		return err_set(err, ENOMEM, "out of memory");
	return 0;
}

/* Who may ask: a certificate says who answers, and not who asks. */

static int check_exposure(const struct serve *serve, struct err *err)
{
	char name[LISTEN_NAME_MAX];

	if (serve->address.is_loopback || serve->web.n_users || serve->options->insecure)
		return 0;
	return err_set(err, EINVAL,
		       "--listen %s would show this machine's counters to everybody who can reach "
		       "it: use --web-config FILE with %s, or --insecure",
		       listen_name(&serve->address, name, sizeof(name)),
		       serve->web.cert ? "basic_auth_users, because a certificate keeps nobody out"
				       : "a certificate and passwords");
}

/* A page of another site cannot know a password, and what other machines call this one is theirs to
 * say. */
static void choose_admitted(struct serve *serve)
{
	serve->admit = (struct admit){
		.address = &serve->address,
		.hosts = serve->options->hosts,
		.any_host = serve->web.n_users && !serve->address.is_loopback,
		.user_only = serve->options->user_only,
		.user = invoker_uid(),
	};
}

static bool is_unix(const struct serve *serve)
{
	return serve->address.addr.ss_family == AF_UNIX;
}

static int check_user_only(const struct serve *serve, struct err *err)
{
	if (!serve->options->user_only || is_unix(serve))
		return 0;
	return err_set(err, EINVAL,
		       "--user-only goes with --listen unix:PATH: TCP does not tell which user "
		       "asks");
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
	if (!rc)
		rc = check_user_only(serve, err);
	if (rc)
		return rc;
	choose_admitted(serve);
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
		.answer = answer,
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
		fprintf(stderr, "m1top: every user of this machine can read it; --listen unix:PATH "
				"or passwords (--web-config) keep them out\n");
	if (serve->web.n_users && !serve->web.cert && !serve->address.is_loopback)
		fprintf(stderr, "m1top: passwords cross the network in clear text: add a "
				"certificate (tls_server_config in --web-config)\n");
}

/* Counting */

/* Serving goes on without its log: whoever looks at the metrics would miss more. */
static void watch_log(struct serve *serve)
{
	struct log_status status;
	struct err said;

	if (!serve->log || serve->log_has_died)
		return;
	if (log_take_said(serve->log, &said))
		messages_add(&serve->setup.messages, MESSAGE_WARNING, "%s", said.text);
	log_status(serve->log, &status);
	if (status.running)
		return;
	serve->log_has_died = true;
	forget_scrapes(serve);
	messages_add(&serve->setup.messages, MESSAGE_ERROR, "the log has stopped: %s",
		     status.error.text);
}

/* @n  frames in the queue */
static int take_frames(struct serve *serve, unsigned n)
{
	const struct frame *frame;
	uint64_t lost, begun_ns = clock_thread_cpu_ns();
	int rc = 0;

	for (; !rc && n; n--) {
		frame = queue_pop(serve->queue, &lost);
		watch_frame(serve->setup.watch, frame);
		forget_scrapes(serve);
		rc = totals_add(&serve->totals, frame, lost);
		frame_unref(frame);
	}
	sampler_add_for_frames(serve->setup.sampler, clock_thread_cpu_ns() - begun_ns);
	return rc;
}

static int drain(struct serve *serve, struct err *err)
{
	unsigned n = queue_clear(serve->queue);
	int rc = n ? take_frames(serve, n) : 0;

	watch_log(serve);
	setup_tell(&serve->setup);
	return rc ? err_set(err, -rc, "out of memory") : 0;
}

static void wait_for_news(const struct serve *serve)
{
	struct pollfd fd[] = {
		{ .fd = queue_fd(serve->queue), .events = POLLIN },
		{ .fd = serve->command.signal_fd, .events = POLLIN },
		{ .fd = http_fd(serve->http), .events = POLLIN },
	};

	poll(fd, 3, http_timeout_ms(serve->http));
}

static bool is_over(const struct serve *serve)
{
	const struct options *options = serve->options;

	return serve->command.interrupted || setup_ended(&serve->setup, NULL) ||
	       (options->count && serve->totals.n_frames >= options->count);
}

/* No interval changes what clients cost: it is no matter of the budget. */
static void answer_apart(const struct serve *serve)
{
	pthread_t worker;

	sampler_set_apart(serve->setup.sampler, pthread_self());
	if (http_worker(serve->http, &worker))
		sampler_set_apart(serve->setup.sampler, worker);
}

static int start(struct serve *serve, struct err *err)
{
	struct setup *setup = &serve->setup;
	const struct options *options = serve->options;
	int rc = sampler_subscribe(setup->sampler, QUEUE_DEPTH, &serve->queue, err);

	if (!rc && options->output)
		rc = log_start(setup->sampler, &setup->metrics, NULL, options->output,
			       options->output_mode, &options->limits, &serve->log, err);
	if (rc)
		return rc;
	answer_apart(serve);
	rc = sampler_start(setup->sampler, &setup->first, err);
	if (rc)
		return rc;
	format_context_init(&serve->context, setup->sampler, &setup->metrics);
	serve->context.shown = setup->selection.number;
	serve->context.n_shown = setup->selection.n;
	return 0;
}

static int count(struct serve *serve, struct err *err)
{
	int rc = start(serve, err);

	if (rc)
		return rc;
	announce(serve);
	while (!rc && !is_over(serve)) {
		wait_for_news(serve);
		command_signals(&serve->command);
		sampler_service(serve->setup.sampler);
		rc = drain(serve, err);
		http_run(serve->http);
	}
	sampler_stop(serve->setup.sampler);
	return rc;
}

static int prepare(struct serve *serve, struct err *err)
{
	int rc;

	rights_hide_memory(); /* keys and passwords */
	rc = open_door(serve, err);
	if (!rc)
		rc = setup_open(serve->options, 0, &serve->setup, err);
	if (!rc)
		rc = setup_keep_rights(serve->options, serve->setup.backend, 0, err);
	rights_hide_memory(); /* changing ids has shown it again */
	if (rc)
		return rc;
	if (serve->setup.backend->virtual_clock)
		return err_set(err, EINVAL, "serve needs the real clock, not a virtual one");
	totals_init(&serve->totals, &serve->setup.backend->machine, serve->options->n_tasks);
	serve->setup.first.by_task = serve->options->n_tasks > 0;
	setup_note_simulated(&serve->setup);
	setup_tell(&serve->setup);
	rc = make_pages(serve, err);
	return rc ? rc : open_http(serve, err);
}

static int run(struct serve *serve, struct err *err)
{
	struct err log_err = { "" }, said = { "" };
	int rc = prepare(serve, err);

	if (!rc)
		rc = command_init(&serve->command, err);
	if (rc)
		return rc;
	rc = count(serve, err);
	watch_end(serve->setup.watch);

	int stopped = log_stop(serve->log, &said, &log_err);

	if (*said.text)
		messages_add(&serve->setup.messages, MESSAGE_WARNING, "%s", said.text);
	setup_tell(&serve->setup);

	command_fini(&serve->command);
	if (!rc && !stopped)
		rc = setup_ended(&serve->setup, err);
	if (rc || !stopped)
		return rc;
	return err_set(err, EIO, "the log is not complete: %s", log_err.text);
}

static void take_apart(struct serve *serve)
{
	http_close(serve->http);
	forget_scrapes(serve);
	http_page_free(serve->landing);
	http_page_free(serve->not_found);
	http_page_free(serve->healthy);
	http_page_free(serve->stuck);
	http_page_free(serve->unlogged);
	if (serve->listen_fd >= 0)
		close(serve->listen_fd);
	if (serve->is_listening)
		listen_remove(&serve->address);
	totals_fini(&serve->totals);
	if (serve->queue)
		sampler_unsubscribe(serve->setup.sampler, serve->queue);
	setup_close(&serve->setup);
	web_config_fini(&serve->web);
	free(serve);
}

int serve_run(const struct options *options)
{
	struct err err = { "" };
	struct serve *serve = calloc(1, sizeof(*serve));

	if (!serve)
		return options_end(err_set(&err, ENOMEM, "out of memory"), &err);
	serve->options = options;
	serve->listen_fd = -1;

	int rc = run(serve, &err);

	take_apart(serve);
	return options_end(rc, &err);
}
