/* switches.c: context switches, recorded by the kernel into one ring per core for all of its
 * groups, so that a change of set or mux group needs no second ring */
#include "pmu/perf/perf.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "pmu/machine.h"

/* perf_event_mlock_kb lets a user have this and one page per CPU. Source: kernel/events/core.c */
enum { RING_BYTES = 512 << 10, RING_BYTES_MIN = 32 << 10 };

struct switch_ring {
	pthread_mutex_t lock; /* taken by main and the collector, never by a core thread */
	struct switch_stream *streams;
	struct switch_stream *last; /* stream of the newest record */
	uint64_t t_ns;              /* time of the newest record */
	uint64_t drained_ns;        /* records now in the ring are older than this */
	int fd;                     /* event that owns the memory; it counts nothing */
	char *map;                  /* a control page, then the records */
	size_t page, size;
};

/* PERF_RECORD_SAMPLE with the sample_type below */
struct switch_record {
	struct perf_event_header header;
	uint64_t id;
	uint32_t pid, tid;
	uint64_t t_ns;
	uint64_t nr, enabled_ns, running_ns;
	uint64_t value[VALUES_MAX];
};

/* PERF_RECORD_FORK and PERF_RECORD_EXIT */
struct fork_record {
	struct perf_event_header header;
	uint32_t pid, parent_pid;
	uint32_t tid, parent_tid;
	uint64_t t_ns;
};

/* PERF_RECORD_COMM: the name is padded to whole words and followed by struct record_end */
struct comm_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	char comm[];
};

/* sample_id_all: the end of every record but a sample */
struct record_end {
	uint32_t pid, tid;
	uint64_t t_ns;
	uint64_t id;
};

union record {
	struct perf_event_header header;
	struct switch_record sample;
	struct fork_record fork;
	struct comm_record comm;
	char bytes[sizeof(struct switch_record)];
};

void perf_switches_clock(union perf_attr *attr)
{
	attr->attr.use_clockid = 1;
	attr->attr.clockid = CLOCK_MONOTONIC;
}

void perf_switches_attr(bool leader, union perf_attr *ret)
{
	const struct pmu software = { .type = PERF_TYPE_SOFTWARE };

	perf_attr(&software, (const uint64_t[CONFIG_WORDS]){ PERF_COUNT_SW_CONTEXT_SWITCHES },
		  PRIVILEGE_BOTH, leader, ret);
	ret->attr.sample_period = 1;
	ret->attr.sample_type =
		PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_READ;
	ret->attr.sample_id_all = 1;
	ret->attr.comm = 1;
	ret->attr.comm_exec = 1;
	ret->attr.task = 1;
	perf_switches_clock(ret);
}

/* Open an event that owns the ring and counts nothing; the ring wakes no thread, it is drained regularly. */
static int open_owner(struct perf *perf, unsigned cpu)
{
	const struct pmu software = { .type = PERF_TYPE_SOFTWARE };
	union perf_attr attr;

	perf_attr(&software, (const uint64_t[CONFIG_WORDS]){ PERF_COUNT_SW_DUMMY }, PRIVILEGE_BOTH,
		  true, &attr);
	perf_switches_clock(&attr);
	return perf_open(perf, &attr, cpu, -1);
}

static int map_ring(struct switch_ring *ring, size_t size)
{
	int code = 0;

	ring->page = (size_t)sysconf(_SC_PAGESIZE);
	do {
		ring->map = mmap(NULL, ring->page + size, PROT_READ | PROT_WRITE, MAP_SHARED,
				 ring->fd, 0);
		if (ring->map != MAP_FAILED) {
			ring->size = size;
			return 0;
		}
		code = errno;
		size /= 2;
	} while ((code == EPERM || code == ENOMEM) && size >= RING_BYTES_MIN);
	ring->map = NULL;
	return -code;
}

static void close_ring(struct switch_ring *ring)
{
	if (ring->map)
		munmap(ring->map, ring->page + ring->size);
	if (ring->map)
		close(ring->fd);
	ring->map = NULL;
}

static int open_ring(struct perf *perf, struct switch_ring *ring, unsigned cpu, struct err *err)
{
	ring->fd = open_owner(perf, cpu);
	if (ring->fd < 0)
		return err_set(err, -ring->fd, "cannot record context switches on CPU %u: %s", cpu,
			       perf_reason(-ring->fd));

	int rc = map_ring(ring, perf->ring_bytes ? perf->ring_bytes : RING_BYTES);

	if (!rc)
		return 0;
	close(ring->fd);
	return err_set(err, -rc,
		       "no memory to record the context switches of CPU %u: %s; the limit is "
		       "kernel.perf_event_mlock_kb, or `ulimit -l`",
		       cpu, strerror(-rc));
}

int perf_rings_new(struct perf *perf)
{
	perf->ring = calloc(perf->base.machine.n_cores, sizeof(*perf->ring));
	if (!perf->ring)
		return -ENOMEM;
	for (unsigned i = 0; i < perf->base.machine.n_cores; i++)
		pthread_mutex_init(&perf->ring[i].lock, NULL);
	return 0;
}

void perf_rings_free(struct perf *perf)
{
	for (unsigned i = 0; perf->ring && i < perf->base.machine.n_cores; i++)
		pthread_mutex_destroy(&perf->ring[i].lock);
	free(perf->ring);
}

int perf_switches_join(struct perf *perf, const struct core *core, int fd,
		       struct switch_stream *stream, struct err *err)
{
	struct switch_ring *ring = &perf->ring[core - perf->base.machine.core];
	int rc = 0;

	stream->ring = NULL;
	pthread_mutex_lock(&ring->lock);
	if (!ring->map)
		rc = open_ring(perf, ring, core->cpu, err);
	if (!rc && (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) ||
		    ioctl(fd, PERF_EVENT_IOC_ID, &stream->id)))
		rc = err_set(err, errno, "cannot record context switches on CPU %u: %s", core->cpu,
			     strerror(errno));
	if (!rc) {
		stream->ring = ring;
		stream->next = ring->streams;
		ring->streams = stream;
	} else if (!ring->streams) {
		close_ring(ring);
	}
	pthread_mutex_unlock(&ring->lock);
	return rc;
}

void perf_switches_leave(struct switch_stream *stream)
{
	struct switch_ring *ring = stream->ring;

	if (!ring)
		return;
	pthread_mutex_lock(&ring->lock);

	struct switch_stream **at = &ring->streams;

	while (*at != stream)
		at = &(*at)->next;
	*at = stream->next;
	if (ring->last == stream)
		ring->last = NULL;
	if (!ring->streams)
		close_ring(ring);
	pthread_mutex_unlock(&ring->lock);
}

static uint64_t n_switches(const struct switch_stream *stream, const struct switch_record *record)
{
	return record->value[stream->order.switches];
}

static bool goes_on(const struct switch_stream *stream, const struct switch_record *record)
{
	return record->nr == stream->order.n && n_switches(stream, record) > stream->n_switches &&
	       record->enabled_ns >= stream->enabled_ns;
}

static bool is_next(const struct switch_stream *stream, const struct switch_record *record)
{
	return goes_on(stream, record) && n_switches(stream, record) == stream->n_switches + 1;
}

/*
 * Guess the stream of a record with an unknown id. While another program samples context switches,
 * the kernel gives our records its event's id and its clock's time, as it fills in the
 * identification once for all events of a switch. The record then belongs to the group whose
 * numbers it continues, and its time is no later than the drain.
 * Source: Linux perf_prepare_sample() in kernel/events/core.c, 6.2 and later
 */
static struct switch_stream *guess_stream(const struct switch_ring *ring,
					  const struct switch_record *record)
{
	struct switch_stream *next = NULL;

	if (ring->last && is_next(ring->last, record))
		return ring->last;
	for (struct switch_stream *stream = ring->streams; stream; stream = stream->next)
		if (is_next(stream, record))
			next = stream;
	return next || !ring->last || !goes_on(ring->last, record) ? next : ring->last;
}

static struct switch_stream *find_stream(const struct switch_ring *ring,
					 const struct switch_record *record)
{
	struct switch_stream *stream = ring->streams;

	while (stream && stream->id != record->id)
		stream = stream->next;
	return stream ? stream : guess_stream(ring, record);
}

static uint64_t time_of(const struct switch_ring *ring, const struct switch_record *record)
{
	bool is_ours = record->t_ns >= ring->t_ns && record->t_ns <= ring->drained_ns;

	return is_ours ? record->t_ns : ring->drained_ns;
}

/* Hand over a switch; records of a group torn apart by a CPU going offline are ignored. */
static bool hand_switch(struct switch_ring *ring, const struct switch_record *record,
			const struct switch_sink *sink)
{
	struct switch_stream *stream = find_stream(ring, record);
	uint64_t value[SLOTS_MAX] = { 0 };

	if (!stream || record->nr != stream->order.n)
		return true;
	for (unsigned i = 0; i < stream->order.n; i++)
		if (stream->order.slot[i] != VALUE_NONE)
			value[stream->order.slot[i]] = record->value[i];

	const struct task_switch one = {
		.at = { .stream = stream->id,
			.n = n_switches(stream, record),
			.enabled_ns = record->enabled_ns,
			.running_ns = record->running_ns,
			.pid = record->pid,
			.tid = record->tid },
		.t_ns = time_of(ring, record),
		.n_slots = stream->n_slots,
		.value = value,
		.is_guess = stream->id != record->id,
	};

	if (!sink->take_switch(sink->data, &one))
		return false;
	stream->n_switches = one.at.n;
	stream->enabled_ns = record->enabled_ns;
	ring->last = stream;
	ring->t_ns = one.t_ns;
	return true;
}

static bool hand_fork(const struct fork_record *record, const struct switch_sink *sink)
{
	const struct task_note note = {
		.kind = record->header.type == PERF_RECORD_FORK ? NOTE_FORK : NOTE_EXIT,
		.pid = record->pid,
		.tid = record->tid,
		.parent_pid = record->parent_pid,
		.parent_tid = record->parent_tid,
		.t_ns = record->t_ns,
	};

	sink->take_note(sink->data, &note);
	return true;
}

static bool hand_name(const struct comm_record *record, const struct switch_sink *sink)
{
	struct task_note note = { .kind = NOTE_NAME, .pid = record->pid, .tid = record->tid };
	struct record_end end;

	memcpy(&end, (const char *)record + record->header.size - sizeof(end), sizeof(end));
	note.t_ns = end.t_ns;
	note.is_exec = record->header.misc & PERF_RECORD_MISC_COMM_EXEC;
	snprintf(note.comm, sizeof(note.comm), "%s", record->comm);
	sink->take_note(sink->data, &note);
	return true;
}

/* @return false if there was no room */
static bool switches_hand_over(struct switch_ring *ring, const union record *record,
			       const struct switch_sink *sink)
{
	switch (record->header.type) {
	case PERF_RECORD_SAMPLE: return hand_switch(ring, &record->sample, sink);
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT: return hand_fork(&record->fork, sink);
	case PERF_RECORD_COMM: return hand_name(&record->comm, sink);
	default: return true; /* PERF_RECORD_LOST: visible in the switch numbers */
	}
}

/* Return a record: in place, or copied together if it wraps around the ring's end. */
static const union record *record_at(const struct switch_ring *ring, uint64_t at,
				     union record *together)
{
	const char *data = ring->map + ring->page;
	size_t from = at & (ring->size - 1);
	const union record *record = (const union record *)(const void *)(data + from);
	size_t size = record->header.size, left = ring->size - from;

	if (size <= left)
		return record;
	if (size > sizeof(*together))
		size = sizeof(together->header); /* of a kind that was not requested */
	memcpy(together, record, left < size ? left : size);
	memcpy(together->bytes + left, data, size > left ? size - left : 0);
	return together;
}

static void drain(struct switch_ring *ring, const struct switch_sink *sink)
{
	struct perf_event_mmap_page *control = (void *)ring->map;
	/* acquire and release: as documented at data_head in the kernel's header */
	uint64_t head = __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = control->data_tail;

	ring->drained_ns = clock_now_ns();
	while (tail < head) {
		union record together;
		const union record *record = record_at(ring, tail, &together);

		if (!switches_hand_over(ring, record, sink))
			break;
		tail += record->header.size;
	}
	__atomic_store_n(&control->data_tail, tail, __ATOMIC_RELEASE);
}

void perf_switches_drain(struct backend *backend, unsigned core, const struct switch_sink *sink)
{
	struct switch_ring *ring = &((struct perf *)backend)->ring[core];

	pthread_mutex_lock(&ring->lock);
	if (ring->map)
		drain(ring, sink);
	pthread_mutex_unlock(&ring->lock);
}

int perf_task_comm(struct backend *backend, uint32_t tid, char *ret_comm)
{
	char path[64], comm[64];

	snprintf(path, sizeof(path), "/proc/%u/comm", tid);
	if (sysfs_read(((struct perf *)backend)->root, path, comm, sizeof(comm)) < 0)
		return -ESRCH;
	snprintf(ret_comm, TASK_COMM_SIZE, "%.*s", TASK_COMM_SIZE - 1, comm);
	return 0;
}
