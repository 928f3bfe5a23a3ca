#include "session/writer.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/num.h"
#include "base/rights.h"
#include "session/format/compress.h"

/* ---- frames in a format to a sink ---- */

static int write_text(struct frame_writer *writer, struct err *err)
{
	struct text *text = &writer->text;
	int rc = 0;

	if (!sink_has_buffered(writer->sink)) {
		frame_unref(writer->before);
		writer->before = writer->last ? frame_ref(writer->last) : NULL;
	}
	if (text->failed)
		rc = err_set(err, ENOMEM, "%s: out of memory", sink_path(writer->sink));
	else if (text->n)
		rc = sink_write(writer->sink, text->bytes, text->n, err);
	text_clear(text);
	return rc;
}

static int write_head(struct frame_writer *writer, struct err *err)
{
	if (writer->format->begin)
		writer->format->begin(&writer->context, &writer->text);
	return write_text(writer, err);
}

/* Write the head of a new file after the log was lost: the state before the buffered frames. Cores that are off are
 * reported again with the next frame. */
static void lost(void *data, const struct err *warning, struct text *head)
{
	struct frame_writer *writer = data;
	struct format_context context = writer->context;

	writer->warning = *warning;
	context.continues = false;
	context.last_frame = NULL;
	if (writer->before)
		format_context_restart(&context, writer->before);
	if (writer->format->begin)
		writer->format->begin(&context, head);
	memset(writer->context.last_off, 0, sizeof(writer->context.last_off));
}

int frame_writer_begin(struct frame_writer *writer, struct sink *sink,
		       const struct sink_limits *limits, struct err *err)
{
	int rc = limits ? sink_limit(sink, limits, err) : 0;

	writer->sink = sink;
	sink_watch(sink, lost, writer);
	writer->context.continues = sink_size(sink) > 0;
	if (!rc)
		rc = write_head(writer, err);
	if (rc) {
		sink_discard(sink);
		writer->sink = NULL;
	}
	return rc;
}

/* Note in the file that the oldest part was removed; a message says it once. */
static int note_removed(struct frame_writer *writer, uint64_t t_ns, struct err *err)
{
	if (!writer->has_removed)
		err_set(&writer->warning, 0,
			"%s has reached its limit: its oldest part has been removed, and from now "
			"on the oldest part is each time",
			sink_path(writer->sink));
	writer->has_removed = true;
	return frame_writer_mark(writer, t_ns, "log limit: the oldest part was removed", err);
}

static int rotate(struct frame_writer *writer, const struct frame *next, struct err *err)
{
	int removed = sink_rotate(writer->sink, err);

	text_clear(&writer->text);
	if (removed < 0)
		return removed;
	format_context_restart(&writer->context, next);

	int rc = write_head(writer, err);

	return rc || !removed ? rc : note_removed(writer, next->t_ns, err);
}

int frame_writer_frame(struct frame_writer *writer, const struct frame *frame, struct err *err)
{
	writer->format->frame(&writer->context, frame, &writer->text);
	if (sink_is_full_with(writer->sink, writer->text.n)) {
		int rc = rotate(writer, frame, err);

		if (rc)
			return rc;
		writer->format->frame(&writer->context, frame, &writer->text);
	}
	writer->n_frames++;

	int rc = write_text(writer, err);

	frame_unref(writer->last);
	writer->last = frame_ref(frame);
	return rc;
}

int frame_writer_gap(struct frame_writer *writer, uint64_t t_ns, uint64_t n_frames, const char *why,
		     struct err *err)
{
	writer->n_missing += n_frames;
	if (n_frames && writer->format->gap)
		writer->format->gap(&writer->context, t_ns, n_frames, why, &writer->text);
	return write_text(writer, err);
}

int frame_writer_mark(struct frame_writer *writer, uint64_t t_ns, const char *note, struct err *err)
{
	if (writer->format->mark)
		writer->format->mark(&writer->context, t_ns, note, &writer->text);
	return write_text(writer, err);
}

int frame_writer_summary(struct frame_writer *writer, const struct frame *sum, struct err *err)
{
	format_summary(writer->format, &writer->context, sum, &writer->text);
	return write_text(writer, err);
}

bool frame_writer_take_warning(struct frame_writer *writer, struct err *ret)
{
	if (!*writer->warning.text)
		return false;
	*ret = writer->warning;
	writer->warning.text[0] = '\0';
	return true;
}

int frame_writer_close(struct frame_writer *writer, struct err *err)
{
	int rc = sink_close(writer->sink, err);

	writer->sink = NULL;
	frame_unref(writer->last);
	frame_unref(writer->before);
	writer->last = writer->before = NULL;
	text_fini(&writer->text);
	return rc;
}

/* ---- the session log: a thread of its own ---- */

enum {
	NOTE_MAX = 200,
	MARKS_MAX = 64,
	DEPTH_MIN = 16,
	DEPTH_MAX = 4096,              /* two seconds at 1 ms, doubled */
	QUEUE_BYTES = 16 * 1024 * 1024 /* limits the memory of a full queue */
};

#define TOO_SLOW "log too slow"

struct mark {
	uint64_t t_ns;
	char note[NOTE_MAX];
};

struct log {
	struct sampler *sampler;
	struct queue *queue;
	char *path; /* as given */
	pthread_t thread;
	int wake_fd;
	struct frame_writer writer; /* used by the thread */
	pthread_mutex_t lock;       /* protects the members below */
	struct mark mark[MARKS_MAX];
	unsigned n_marks;
	bool stop;
	struct log_status status;
	struct err warning;  /* message of frame_writer_take_warning */
	struct text now_at;  /* path after a loss; empty: as given */
	pthread_cond_t over; /* status.running has become false */
	int rc;              /* of status.error */
};

/* End writing. @rc  0: complete; the first error is kept */
static void end_with(struct log *log, int rc, const struct err *err)
{
	pthread_mutex_lock(&log->lock);
	if (log->status.running && rc) {
		log->status.error = *err;
		log->rc = rc;
	}
	log->status.running = false;
	pthread_cond_broadcast(&log->over);
	pthread_mutex_unlock(&log->lock);
}

/* Take the message if the file was lost. Call with the lock held. */
static void note_loss(struct log *log)
{
	const struct sink *sink = log->writer.sink;

	if (!frame_writer_take_warning(&log->writer, &log->warning) || !sink)
		return;
	text_clear(&log->now_at);
	text_printf(&log->now_at, "%s", sink_path(sink));
}

/* Flush and update the status. @rc, @err  result of the last write */
static void keep_up(struct log *log, int rc, struct err *err)
{
	const struct frame_writer *writer = &log->writer;

	if (!rc)
		rc = sink_flush(writer->sink, err);
	pthread_mutex_lock(&log->lock);
	log->status.bytes = sink_size(writer->sink);
	log->status.frames = writer->n_frames;
	log->status.lost_frames = writer->n_missing;
	note_loss(log);
	pthread_mutex_unlock(&log->lock);
	if (rc)
		end_with(log, rc, err);
}

static bool is_running(struct log *log)
{
	pthread_mutex_lock(&log->lock);
	bool running = log->status.running;

	pthread_mutex_unlock(&log->lock);
	return running;
}

/* Take the marks added since the last call. @return whether log_end was called */
static bool take_marks(struct log *log, struct mark *ret, unsigned *ret_n)
{
	pthread_mutex_lock(&log->lock);
	bool stop = log->stop;

	*ret_n = log->n_marks;
	memcpy(ret, log->mark, log->n_marks * sizeof(*ret));
	log->n_marks = 0;
	pthread_mutex_unlock(&log->lock);
	return stop;
}

/* Write queued frames. After a failure the queue is still emptied, so that it holds no frames. */
static void write_frames(struct log *log)
{
	uint64_t lost;

	for (unsigned n = queue_clear(log->queue); n; n--) {
		const struct frame *frame = queue_pop(log->queue, &lost);
		struct err err = { "" };

		if (is_running(log)) {
			int rc = frame_writer_gap(&log->writer, frame->t_ns, lost, TOO_SLOW, &err);

			if (!rc)
				rc = frame_writer_frame(&log->writer, frame, &err);
			keep_up(log, rc, &err);
		}
		frame_unref(frame);
	}
}

/* Write a gap for frames lost after the last one received, which no later frame reports. */
static void write_tail(struct log *log)
{
	uint64_t lost = queue_lost(log->queue), now_ns = sampler_now_ns(log->sampler);
	struct err err = { "" };

	if (lost && is_running(log))
		keep_up(log, frame_writer_gap(&log->writer, now_ns, lost, TOO_SLOW, &err), &err);
}

static void write_marks(struct log *log, const struct mark *mark, unsigned n)
{
	struct err err = { "" };

	for (unsigned i = 0; i < n && is_running(log); i++)
		keep_up(log, frame_writer_mark(&log->writer, mark[i].t_ns, mark[i].note, &err),
			&err);
}

static void close_file(struct log *log)
{
	struct err err = { "" };
	int rc = frame_writer_close(&log->writer, &err);

	pthread_mutex_lock(&log->lock);
	note_loss(log);
	pthread_mutex_unlock(&log->lock);
	end_with(log, rc, &err);
}

static void *log_thread(void *data)
{
	struct log *log = data;
	struct mark mark[MARKS_MAX];
	struct err err = { "" };
	bool stop = false;

	rights_drop(RIGHT_REAL_TIME);
	while (!stop) {
		struct pollfd fd[] = {
			{ .fd = queue_fd(log->queue), .events = POLLIN },
			{ .fd = log->wake_fd, .events = POLLIN },
		};
		uint64_t cleared;
		unsigned n_marks;

		poll(fd, 2, 1000);
		if (fd[1].revents && read(log->wake_fd, &cleared, sizeof(cleared)) < 0)
			continue;
		stop = take_marks(log, mark, &n_marks);
		write_frames(log);
		write_marks(log, mark, n_marks);
		if (is_running(log))
			keep_up(log, 0, &err);
	}
	write_tail(log);
	close_file(log);
	return NULL;
}

const char *log_default_path(char *buf, size_t size)
{
	char host[65] = "host", stamp[32];
	time_t now = time(NULL);
	struct tm tm;

	if (gethostname(host, sizeof(host)))
		snprintf(host, sizeof(host), "host");
	host[sizeof(host) - 1] = '\0';
	localtime_r(&now, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &tm);
	snprintf(buf, size, "./m1top-%s-%s.csv%s", host, stamp, compressor_suffix);
	return buf;
}

static unsigned queue_depth(const struct sampler *sampler, unsigned n_metrics)
{
	const struct set *set = sampler_set(sampler);
	size_t n_columns = set && set->n_slots > CORE_SLOTS_MAX ? set->n_slots : CORE_SLOTS_MAX;
	size_t a_core = sizeof(struct frame_core) + n_columns * sizeof(struct count) +
			n_metrics * sizeof(struct reading);
	size_t depth = QUEUE_BYTES / (sampler_backend(sampler)->machine.n_cores * a_core);

	return depth < DEPTH_MIN ? DEPTH_MIN : depth > DEPTH_MAX ? DEPTH_MAX : (unsigned)depth;
}

/* Start the thread with all signals blocked: the main thread's signalfd must receive them. */
static int start_thread(struct log *log)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int rc = pthread_create(&log->thread, NULL, log_thread, log);

	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -rc;
}

static int open_writer(struct log *log, const struct metrics *metrics,
		       const struct session_request *request, enum sink_mode mode,
		       const struct sink_limits *limits, struct err *err)
{
	struct sink *sink;
	int rc = sink_open(log->path, mode, &sink, err);

	if (rc)
		return rc;
	log->writer.format = &format_csv;
	format_context_init(&log->writer.context, log->sampler, metrics);
	if (request)
		log->writer.context.head.request = *request;
	sink_flush_seldom(sink);
	rc = frame_writer_begin(&log->writer, sink, limits, err);
	return rc ? rc : sink_flush(sink, err);
}

static void log_free(struct log *log)
{
	if (log->queue)
		sampler_unsubscribe(log->sampler, log->queue);
	if (log->wake_fd >= 0)
		close(log->wake_fd);
	pthread_cond_destroy(&log->over);
	pthread_mutex_destroy(&log->lock);
	free(log->path);
	text_fini(&log->now_at);
	frame_writer_close(&log->writer, NULL);
	free(log);
}

int log_start(struct sampler *sampler, const struct metrics *metrics,
	      const struct session_request *request, const char *path, enum sink_mode mode,
	      const struct sink_limits *limits, struct log **ret, struct err *err)
{
	char chosen[160];
	struct log *log = calloc(1, sizeof(*log));
	int rc;

	if (!log)
		return err_set(err, ENOMEM, "session log: out of memory");
	log->path = strdup(path ? path : log_default_path(chosen, sizeof(chosen)));
	log->sampler = sampler;
	pthread_mutex_init(&log->lock, NULL);
	pthread_cond_init(&log->over, NULL);
	log->status.running = true;
	log->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	rc = log->wake_fd < 0 ? err_set(err, errno, "eventfd: %s", strerror(errno)) : 0;
	if (!rc && !log->path)
		rc = err_set(err, ENOMEM, "session log: out of memory");
	if (!rc)
		rc = open_writer(log, metrics, request, mode, limits, err);
	if (!rc)
		rc = sampler_subscribe(sampler, queue_depth(sampler, metrics->n), &log->queue, err);
	if (rc)
		goto fail;
	log->status.bytes = sink_size(log->writer.sink);
	rc = start_thread(log);
	if (rc) {
		err_set(err, -rc, "session log: cannot start a thread: %s", strerror(-rc));
		goto fail;
	}
	*ret = log;
	return 0;
fail:
	sink_discard(log->writer.sink);
	log->writer.sink = NULL;
	log_free(log);
	return rc;
}

static void wake(const struct log *log)
{
	if (eventfd_write(log->wake_fd, 1))
		return; /* only with 2^64-2 wakes pending: the thread is awake */
}

void log_mark(struct log *log, const char *note)
{
	uint64_t t_ns = sampler_now_ns(log->sampler);

	pthread_mutex_lock(&log->lock);
	if (log->n_marks < MARKS_MAX) {
		struct mark *mark = &log->mark[log->n_marks++];

		mark->t_ns = t_ns;
		snprintf(mark->note, sizeof(mark->note), "%s", note);
	}
	pthread_mutex_unlock(&log->lock);
	wake(log);
}

void log_status(const struct log *log, struct log_status *ret)
{
	pthread_mutex_t *lock = (pthread_mutex_t *)&log->lock;

	pthread_mutex_lock(lock);
	*ret = log->status;
	pthread_mutex_unlock(lock);
}

const char *log_path(const struct log *log, char *buf, size_t size)
{
	pthread_mutex_t *lock = (pthread_mutex_t *)&log->lock;

	pthread_mutex_lock(lock);
	snprintf(buf, size, "%s", log->now_at.n ? log->now_at.bytes : log->path);
	pthread_mutex_unlock(lock);
	return buf;
}

bool log_take_warning(struct log *log, struct err *ret)
{
	pthread_mutex_lock(&log->lock);
	bool is_new = *log->warning.text;

	if (is_new)
		*ret = log->warning;
	log->warning.text[0] = '\0';
	pthread_mutex_unlock(&log->lock);
	return is_new;
}

void log_end(struct log *log, uint64_t patience_ns)
{
	uint64_t until_ns = clock_now_ns() + patience_ns;
	struct timespec until = { .tv_sec = (time_t)(until_ns / NS_PER_S),
				  .tv_nsec = (long)(until_ns % NS_PER_S) };
	int late = 0;

	sampler_detach(log->sampler, log->queue);
	pthread_mutex_lock(&log->lock);
	log->stop = true;
	wake(log);
	while (log->status.running && !late)
		late = pthread_cond_clockwait(&log->over, &log->lock, CLOCK_MONOTONIC, &until);
	pthread_mutex_unlock(&log->lock);
}

int log_stop(struct log *log, struct err *ret_warning, struct err *err)
{
	if (!log)
		return 0;
	log_end(log, 0);
	pthread_join(log->thread, NULL);
	if (ret_warning)
		log_take_warning(log, ret_warning);

	int rc = log->rc;

	if (rc && err)
		*err = log->status.error;
	log_free(log);
	return rc;
}

/* ---- the history as a file ---- */

struct history_file {
	const struct history *history;
	struct frame_writer writer;
	size_t from, next, n; /* cells */
	uint64_t n_frames;
};

int history_file_open(const struct history *history, const struct format_context *context,
		      uint64_t from_ns, const char *path, struct history_file **ret,
		      struct err *err)
{
	struct history_file *file;
	const struct bucket *first;
	struct sink *sink;
	int rc;

	if (history_find(history, from_ns) == history_n(history))
		return err_set(err, ENODATA, "nothing has been counted yet");
	file = calloc(1, sizeof(*file));
	if (!file)
		return err_set(err, ENOMEM, "out of memory");
	file->history = history;
	file->next = file->from = history_find(history, from_ns);
	file->n = history_n(history);
	first = history_bucket(history, file->next);
	file->writer.format = &format_csv;
	file->writer.context = *context;
	file->writer.context.first = first->set;
	file->writer.context.bound = first->bound;
	file->writer.context.head.interval_ns = first->interval_ns;
	file->writer.context.head.request.of_sets = true;
	rc = sink_open(path, SINK_NEW, &sink, err);
	if (rc == -EEXIST)
		err_set(err, EEXIST, "%s exists: choose another name", path);
	if (!rc)
		rc = frame_writer_begin(&file->writer, sink, NULL, err);
	if (rc) {
		frame_writer_close(&file->writer, NULL);
		free(file);
		return rc;
	}
	sink_keep_whole(sink);
	*ret = file;
	return 0;
}

static int write_cell(struct history_file *file, struct err *err)
{
	const struct frame *frame = history_frame(file->history, file->next);
	int rc = frame ? frame_writer_frame(&file->writer, frame, err)
		       : err_set(err, ENOMEM, "%s: out of memory", sink_path(file->writer.sink));

	frame_unref(frame);
	file->n_frames += history_bucket(file->history, file->next)->n_frames;
	file->next++;
	return rc;
}

int history_file_write(struct history_file *file, uint64_t budget_ns, struct err *err)
{
	uint64_t end_ns = clock_now_ns() + budget_ns;
	int rc = 0;

	while (!rc && file->next < file->n && clock_now_ns() < end_ns)
		rc = write_cell(file, err);
	return rc ? rc : file->next < file->n;
}

/* Report the result. Older cells are merged from several frames, so fewer are written than were counted. */
static void say(const struct history_file *file, struct err *ret)
{
	const struct sink *sink = file->writer.sink;
	size_t n = file->next - file->from;
	char bytes[16], from[48] = "";

	num_bytes(sink_size(sink), bytes, sizeof(bytes));
	if (file->n_frames > n)
		snprintf(from, sizeof(from), ", merged from %" PRIu64, file->n_frames);
	err_set(ret, 0, "wrote %s, %zu frames%s, %s; m1top replay %s", sink_path(sink), n, from,
		bytes, sink_path(sink));
}

int history_file_close(struct history_file *file, struct err *ret_message, struct err *err)
{
	if (!file)
		return 0;
	if (!sink_flush(file->writer.sink, err) && ret_message)
		say(file, ret_message);

	int rc = frame_writer_close(&file->writer, err); /* a failed flush is reported here again */

	free(file);
	return rc;
}
