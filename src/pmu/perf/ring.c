/* ring.c: records of a core's groups: its context switches, samples of one event, and the start, end, names
 * and mappings of tasks. The kernel writes them into one ring per core for all of its groups, so that a change of
 * set or mux group needs no second ring */
#include "pmu/perf/perf.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/num.h"
#include "pmu/machine.h"
#include "symbols/symbols.h"

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

/* PERF_RECORD_SAMPLE with the sample_type below; the value after the last is the cgroup's id, if that is
 * recorded */
struct switch_record {
	struct perf_event_header header;
	uint64_t id;
	uint32_t pid, tid;
	uint64_t t_ns;
	uint64_t nr, enabled_ns, running_ns;
	uint64_t value[VALUES_MAX + 1];
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

/* PERF_RECORD_CGROUP: the path is padded and followed as above */
struct cgroup_record {
	struct perf_event_header header;
	uint64_t id;
	char path[];
};

/* PERF_RECORD_SAMPLE of the sampled event; the words at the end are what `of` says: the period, the chain, the cgroup */
struct hit_record {
	struct perf_event_header header;
	uint64_t id;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t t_ns;
	uint64_t stream_id;
	uint64_t word[];
};

/* PERF_RECORD_MMAP2: the path is padded and followed as above */
struct mmap_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t start, size, offset;
	uint32_t dev_major, dev_minor;
	uint64_t inode, generation;
	uint32_t prot, flags;
	char path[];
};

/* PERF_RECORD_KSYMBOL: likewise */
struct ksymbol_record {
	struct perf_event_header header;
	uint64_t start;
	uint32_t size;
	uint16_t type, flags;
	char name[];
};

/* PERF_RECORD_LOST */
struct lost_record {
	struct perf_event_header header;
	uint64_t id, n;
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
	struct cgroup_record cgroup;
	struct hit_record hit;
	struct mmap_record mmap;
	struct ksymbol_record ksymbol;
	struct lost_record lost;
	char bytes[sizeof(struct cgroup_record) + PATH_MAX + sizeof(struct record_end)];
};

void perf_switches_clock(union perf_attr *attr)
{
	attr->attr.use_clockid = 1;
	attr->attr.clockid = CLOCK_MONOTONIC;
}

void perf_switches_attr(bool leader, union perf_attr *ret)
{
	perf_attr_software(PERF_COUNT_SW_CONTEXT_SWITCHES, PRIVILEGE_BOTH, leader, ret);
	ret->attr.sample_period = 1;
	ret->attr.sample_type =
		PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_READ;
	ret->attr.sample_id_all = 1;
	ret->attr.comm = 1;
	ret->attr.comm_exec = 1;
	ret->attr.task = 1;
	perf_switches_clock(ret);
}

void perf_switches_add_cgroups(union perf_attr *attr)
{
	attr->attr.sample_type |= PERF_SAMPLE_CGROUP;
	attr->attr.cgroup = 1;
}

/* Whether the kernel counts single events in its code. With PERF_SAMPLE_PERIOD it would sample each of them,
 * whatever the period. Source: Linux perf_swevent_event() */
static bool is_counted_in_code(const struct event *event)
{
	return (event->pmu->kind == PMU_SOFTWARE || event->pmu->kind == PMU_TRACEPOINT) &&
	       !event_is_clock(event);
}

/* The kernel lowers it when interrupts take long. Source: Linux perf_sample_event_took() */
void perf_read_limit(struct perf *perf)
{
	char text[32];
	uint64_t limit;

	if (sysfs_read(perf->root, "/proc/sys/kernel/perf_event_max_sample_rate", text,
		       sizeof(text)) >= 0 &&
	    !num_parse_u64(text, &limit) && limit <= INT_MAX)
		perf->base.sample_rate.limit = (unsigned)(limit > 8 ? limit : 8);
}

void perf_sampled_attr(const struct event *event, const struct sample_rate *rate, bool has_cgroups,
		       bool has_chains, union perf_attr *attr)
{
	struct perf_event_attr *to = &attr->attr;

	to->sample_period = event_first_period(event, rate);
	/* the stream's id is the event's own even in a record that another program's event filled in */
	to->sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			  PERF_SAMPLE_TIME | PERF_SAMPLE_STREAM_ID;
	if (!is_counted_in_code(event))
		to->sample_type |= PERF_SAMPLE_PERIOD;
	if (has_cgroups)
		to->sample_type |= PERF_SAMPLE_CGROUP;
	if (has_chains) {
		to->sample_type |= PERF_SAMPLE_CALLCHAIN;
		to->sample_max_stack = CHAIN_MAX;
	}
	to->sample_id_all = 1;
	/* an idle core has no tick, after which the kernel would allow more samples: it stops the group */
	to->exclude_idle = event_is_clock(event);
}

/* A task's period is its own: a new task begins with that of the first one, and only that one's can be changed. The kernel
 * adapts it to each task instead, and records it, unless it is fixed or a time. */
void perf_sampled_tasks_attr(const struct event *event, const struct sample_rate *rate,
			     bool has_chains, union perf_attr *attr)
{
	struct perf_event_attr *to = &attr->attr;

	perf_sampled_attr(event, rate, false, has_chains, attr);
	perf_switches_clock(attr);
	/* of equal size, but not part of struct record_end */
	to->sample_type ^= PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_ADDR;
	to->comm = to->comm_exec = to->task = to->mmap = to->mmap2 = 1;
	if (rate->period || event_is_clock(event))
		return;
	to->freq = 1;
	to->sample_freq = sample_rate_aim(rate);
	to->sample_type |= PERF_SAMPLE_PERIOD;
}

/* Open an event that owns the ring and counts nothing. It becomes readable when half of the ring has
 * been written. Source: Linux ring_buffer_init()
 * @of_tasks  it needs no rights; as one of this thread it does not end before the ring */
static int open_owner(struct perf *perf, unsigned cpu, bool of_tasks)
{
	union perf_attr attr;

	perf_attr_software(PERF_COUNT_SW_DUMMY, of_tasks ? PRIVILEGE_USER : PRIVILEGE_BOTH, true,
			   &attr);
	perf_switches_clock(&attr);
	return of_tasks ? perf_open_task(perf, &attr, 0, (int)cpu)
			: perf_open(perf, &attr, cpu, -1);
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
	if (!ring->map)
		return;
	munmap(ring->map, ring->page + ring->size);
	close(ring->fd);
	ring->map = NULL;
}

static int open_ring(struct perf *perf, struct switch_ring *ring, unsigned cpu, bool of_tasks,
		     struct err *err)
{
	ring->fd = open_owner(perf, cpu, of_tasks);
	if (ring->fd < 0)
		return err_set(err, -ring->fd, "cannot record tasks on CPU %u: %s", cpu,
			       perf_reason(-ring->fd));

	struct epoll_event readable = { .events = EPOLLIN };
	int rc = epoll_ctl(perf->rings_fd, EPOLL_CTL_ADD, ring->fd, &readable) ? -errno : 0;

	if (!rc)
		rc = map_ring(ring, perf->ring_bytes ? perf->ring_bytes : RING_BYTES);
	if (!rc)
		return 0;
	close(ring->fd);
	return err_set(err, -rc,
		       "no memory to record the tasks of CPU %u: %s; the limit is "
		       "kernel.perf_event_mlock_kb, or `ulimit -l`",
		       cpu, strerror(-rc));
}

int perf_rings_new(struct perf *perf)
{
	perf->rings_fd = epoll_create1(EPOLL_CLOEXEC);
	if (perf->rings_fd < 0)
		return -errno;
	perf->ring = calloc(perf->base.machine.n_cores, sizeof(*perf->ring));
	if (!perf->ring) {
		close(perf->rings_fd);
		return -ENOMEM;
	}
	for (unsigned i = 0; i < perf->base.machine.n_cores; i++)
		pthread_mutex_init(&perf->ring[i].lock, NULL);
	return 0;
}

void perf_rings_free(struct perf *perf)
{
	if (!perf->ring)
		return;
	for (unsigned i = 0; i < perf->base.machine.n_cores; i++)
		pthread_mutex_destroy(&perf->ring[i].lock);
	free(perf->ring);
	close(perf->rings_fd);
}

int perf_switches_fd(const struct backend *backend)
{
	return ((const struct perf *)backend)->rings_fd;
}

static int join_event(const struct switch_ring *ring, int fd, uint64_t *ret_id)
{
	return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) ||
	       ioctl(fd, PERF_EVENT_IOC_ID, ret_id);
}

int perf_switches_join(struct perf *perf, const struct core *core, int fd,
		       struct switch_stream *stream, struct err *err)
{
	struct switch_ring *ring = &perf->ring[core - perf->base.machine.core];
	int rc = 0;

	stream->ring = NULL;
	pthread_mutex_lock(&ring->lock);
	if (!ring->map)
		rc = open_ring(perf, ring, core->cpu, fd < 0, err);
	if (!rc && ((fd >= 0 && join_event(ring, fd, &stream->id)) ||
		    (stream->sampled_fd >= 0 &&
		     join_event(ring, stream->sampled_fd, &stream->sampled_id))))
		rc = err_set(err, errno, "cannot record tasks on CPU %u: %s", core->cpu,
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

/* Get the id of the cgroup of a record. @return 0: it has none */
static uint64_t cgroup_of(const struct switch_record *record)
{
	size_t size = offsetof(struct switch_record, value) +
		      (size_t)record->nr * sizeof(record->value[0]);

	return record->header.size > size ? record->value[record->nr] : 0;
}

/* Hand over a switch; records of a group torn apart by a CPU going offline are ignored. */
static bool hand_switch(struct switch_ring *ring, const struct switch_record *record,
			const struct switch_sink *sink)
{
	bool has_our_time = record->t_ns >= ring->t_ns && record->t_ns <= ring->drained_ns;
	struct switch_stream *stream = ring->streams;
	uint64_t value[SLOTS_MAX] = { 0 };

	while (stream && stream->id != record->id)
		stream = stream->next;
	if (!stream)
		stream = guess_stream(ring, record);
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
			.tid = record->tid,
			.cgroup = cgroup_of(record) },
		.t_ns = has_our_time ? record->t_ns : ring->drained_ns,
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

/* Find the stream whose event was sampled. The record's first id may be another's, see perf_sampled_attr; those of tasks
 * are alike, and their later tasks have ids of their own. */
static const struct switch_stream *sampled_stream(const struct switch_ring *ring,
						  const struct hit_record *record)
{
	const struct switch_stream *stream = ring->streams;

	while (stream && stream->id != TASKS_STREAM &&
	       (!stream->sampled_id || stream->sampled_id != record->stream_id))
		stream = stream->next;
	return stream;
}

/* Leave out the marks between user's and kernel's addresses, and the first address, the sample's own.
 * @return number of addresses */
static unsigned take_chain(const uint64_t *word, uint64_t n, uint64_t *ret)
{
	unsigned n_kept = 0;
	bool is_first = true;

	for (uint64_t i = 0; i < n; i++) {
		if (word[i] >= (uint64_t)PERF_CONTEXT_MAX)
			continue;
		if (!is_first && n_kept < CHAIN_MAX)
			ret[n_kept++] = word[i];
		is_first = false;
	}
	return n_kept;
}

static void hand_hit(const struct switch_ring *ring, const struct switch_stream *stream,
		     const struct hit_record *record, const struct switch_sink *sink)
{
	const uint64_t *word = record->word;
	const uint64_t *end =
		(const uint64_t *)(const void *)((const char *)record + record->header.size);
	bool has_our_time = record->t_ns >= ring->t_ns && record->t_ns <= ring->drained_ns;
	unsigned mode = record->header.misc & PERF_RECORD_MISC_CPUMODE_MASK;
	uint64_t chain[CHAIN_MAX];
	struct code_hit hit = {
		.t_ns = has_our_time ? record->t_ns : ring->drained_ns,
		.ip = record->ip,
		.pid = record->pid,
		.tid = record->tid,
		.stream = stream->id,
		.is_kernel = mode != PERF_RECORD_MISC_USER,
		.period = record->t_ns < stream->changed_ns ? stream->last_period : stream->period,
		.chain = chain,
	};

	if (stream->has_period && word < end)
		hit.period = *word++;
	if (stream->has_chains && word < end) {
		uint64_t n = *word++;

		n = n <= (uint64_t)(end - word) ? n : 0;
		hit.n_chain = take_chain(word, n, chain);
		word += n;
	}
	if (word < end)
		hit.cgroup = *word;
	sink->take_hit(sink->data, &hit);
}

static bool hand_sample(struct switch_ring *ring, const union record *record,
			const struct switch_sink *sink)
{
	const struct switch_stream *stream;

	if (record->sample.nr <= VALUES_MAX) /* in a sample of the event it is the time */
		return hand_switch(ring, &record->sample, sink);
	stream = sampled_stream(ring, &record->hit);
	if (stream && sink->take_hit && record->header.size <= sizeof(*record))
		hand_hit(ring, stream, &record->hit, sink);
	return true;
}

static void hand_fork(const struct fork_record *record, const struct switch_sink *sink)
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
}

/* Get the time of a record that is no sample. */
static uint64_t end_time(const struct perf_event_header *header)
{
	struct record_end end;

	memcpy(&end, (const char *)header + header->size - sizeof(end), sizeof(end));
	return end.t_ns;
}

static void hand_cgroup(const struct cgroup_record *record, const struct switch_sink *sink)
{
	const struct task_note note = {
		.kind = NOTE_CGROUP,
		.cgroup = record->id,
		.path = record->path,
		.t_ns = end_time(&record->header),
	};

	sink->take_note(sink->data, &note);
}

static void hand_name(const struct comm_record *record, const struct switch_sink *sink)
{
	struct task_note note = { .kind = NOTE_NAME, .pid = record->pid, .tid = record->tid };

	note.t_ns = end_time(&record->header);
	note.is_exec = record->header.misc & PERF_RECORD_MISC_COMM_EXEC;
	snprintf(note.comm, sizeof(note.comm), "%s", record->comm);
	sink->take_note(sink->data, &note);
}

static void hand_map(const struct code_map *map, const struct switch_sink *sink)
{
	const struct task_note note = { .kind = NOTE_MAP, .t_ns = map->t_ns, .map = map };

	sink->take_note(sink->data, &note);
}

static void hand_mmap(const struct mmap_record *record, const struct switch_sink *sink)
{
	hand_map(&(struct code_map){ .pid = record->pid,
				     .dev_major = record->dev_major,
				     .dev_minor = record->dev_minor,
				     .start = record->start,
				     .size = record->size,
				     .offset = record->offset,
				     .t_ns = end_time(&record->header),
				     .inode = record->inode,
				     .generation = record->generation,
				     .path = record->path },
		 sink);
}

/* Hand over generated code of the kernel; its end has no path. */
static void hand_ksymbol(const struct ksymbol_record *record, const struct switch_sink *sink)
{
	bool is_bpf = record->type == PERF_RECORD_KSYMBOL_TYPE_BPF;
	bool has_ended = record->flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER;

	hand_map(&(struct code_map){ .start = record->start,
				     .size = record->size,
				     .t_ns = end_time(&record->header),
				     .path = has_ended ? NULL
					     : is_bpf  ? "[bpf]"
						       : "[generated]",
				     .symbol = record->name },
		 sink);
}

static void hand_trouble(const union record *record, const struct switch_sink *sink)
{
	uint32_t type = record->header.type;
	struct task_note note = {
		.kind = type == PERF_RECORD_LOST       ? NOTE_LOST
			: type == PERF_RECORD_THROTTLE ? NOTE_THROTTLE
						       : NOTE_RESUME,
		.t_ns = end_time(&record->header),
	};

	if (type == PERF_RECORD_LOST)
		note.n_lost = record->lost.n;
	sink->take_note(sink->data, &note);
}

static void hand_note(const union record *record, const struct switch_sink *sink)
{
	switch (record->header.type) {
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT: hand_fork(&record->fork, sink); break;
	case PERF_RECORD_COMM: hand_name(&record->comm, sink); break;
	case PERF_RECORD_CGROUP: hand_cgroup(&record->cgroup, sink); break;
	case PERF_RECORD_MMAP2: hand_mmap(&record->mmap, sink); break;
	case PERF_RECORD_KSYMBOL: hand_ksymbol(&record->ksymbol, sink); break;
	case PERF_RECORD_LOST:
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE: hand_trouble(record, sink); break;
	default: break;
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

		if (record->header.type != PERF_RECORD_SAMPLE)
			hand_note(record, sink);
		else if (!hand_sample(ring, record, sink))
			break; /* no room */
		tail += record->header.size;
	}
	__atomic_store_n(&control->data_tail, tail, __ATOMIC_RELEASE);
}

void perf_switches_drain(struct backend *backend, unsigned core, const struct switch_sink *sink)
{
	struct switch_ring *ring = &((struct perf *)backend)->ring[core];

	if (core == 0 && sink->take_hit)
		perf_read_limit((struct perf *)backend);
	pthread_mutex_lock(&ring->lock);
	if (ring->map)
		drain(ring, sink);
	pthread_mutex_unlock(&ring->lock);
}

void perf_sample_every(struct backend *backend, unsigned core, uint64_t stream, uint64_t period)
{
	struct switch_ring *ring = &((struct perf *)backend)->ring[core];
	uint64_t random = period, freq = sample_rate_aim(&backend->sample_rate);

	freq = event_draw_period(freq, &random); /* a rhythm of a program meets a steady one, too */
	pthread_mutex_lock(&ring->lock);
	for (struct switch_stream *one = ring->streams; one; one = one->next) {
		/* earlier tasks keep their period, and their samples do not tell it */
		bool is_fixed = one->id == TASKS_STREAM && !one->has_period;

		if (one->id != stream || !one->sampled_id || is_fixed ||
		    ioctl(one->sampled_fd, PERF_EVENT_IOC_PERIOD,
			  one->is_freq ? &freq : &period)) /* it went offline */
			continue;
		one->last_period = one->period;
		one->period = period;
		one->changed_ns = clock_now_ns();
	}
	pthread_mutex_unlock(&ring->lock);
}
