/* group.c: a set's events on a core as kernel groups: opening, reading, closing, and their context
 * switches, recorded by the kernel into one ring per core for all of its groups, so that a change of
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
#include "base/text.h"
#include "pmu/activity.h"
#include "pmu/machine.h"
#include "pmu/set.h"

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
	char bytes[sizeof(struct cgroup_record) + PATH_MAX + sizeof(struct record_end)];
};

/* Let such a group's records use the clock of samples. */
static void switches_clock(union perf_attr *attr)
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
	switches_clock(ret);
}

void perf_switches_add_cgroups(union perf_attr *attr)
{
	attr->attr.sample_type |= PERF_SAMPLE_CGROUP;
	attr->attr.cgroup = 1;
}

/* Open an event that owns the ring and counts nothing. It becomes readable when half of the ring has
 * been written. Source: Linux ring_buffer_init() */
static int open_owner(struct perf *perf, unsigned cpu)
{
	union perf_attr attr;

	perf_attr_software(PERF_COUNT_SW_DUMMY, PRIVILEGE_BOTH, true, &attr);
	switches_clock(&attr);
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
	if (!ring->map)
		return;
	munmap(ring->map, ring->page + ring->size);
	close(ring->fd);
	ring->map = NULL;
}

static int open_ring(struct perf *perf, struct switch_ring *ring, unsigned cpu, struct err *err)
{
	ring->fd = open_owner(perf, cpu);
	if (ring->fd < 0)
		return err_set(err, -ring->fd, "cannot record context switches on CPU %u: %s", cpu,
			       perf_reason(-ring->fd));

	struct epoll_event readable = { .events = EPOLLIN };
	int rc = epoll_ctl(perf->rings_fd, EPOLL_CTL_ADD, ring->fd, &readable) ? -errno : 0;

	if (!rc)
		rc = map_ring(ring, perf->ring_bytes ? perf->ring_bytes : RING_BYTES);
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

/* Record a group's switches in its core's ring; the first group opens it. Main thread.
 *
 * @fd      an event of perf_switches_attr
 * @stream  with order and n_slots
 * @return  0; -EPERM and -ENOMEM: no memory for records; -errno */
static int switches_join(struct perf *perf, const struct core *core, int fd,
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

/* Leave the ring; the last stream closes it. No effect without a ring. Main thread. */
static void switches_leave(struct switch_stream *stream)
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
		uint32_t type = record->header.type; /* PERF_RECORD_LOST: see the switch numbers */

		if (type == PERF_RECORD_SAMPLE && !hand_switch(ring, &record->sample, sink))
			break; /* no room */
		if (type == PERF_RECORD_FORK || type == PERF_RECORD_EXIT)
			hand_fork(&record->fork, sink);
		if (type == PERF_RECORD_COMM)
			hand_name(&record->comm, sink);
		if (type == PERF_RECORD_CGROUP)
			hand_cgroup(&record->cgroup, sink);
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

/* Events of one kernel group, delivered by one read(2). */
struct bundle {
	const struct pmu *uncore; /* NULL: the core's own group */
	int leader;
	struct value_order order;
	uint64_t enabled_ns; /* at the last read; 0 before the first */
};

struct group {
	uint8_t n_slots;
	uint8_t n_bundles;
	bool is_counting;
	uint8_t state[SLOTS_MAX]; /* by slot, without faults */
	int fd[SLOTS_MAX];        /* by slot, -1 */
	int unseen[UNSEEN_MAX];   /* events without a slot, in the core's own group */
	uint8_t n_unseen;
	struct activity_core *activity; /* NULL: no such event is requested */
	struct switch_stream switches;
	struct bundle bundle[]; /* room for the core's group and one per device event */
};

void perf_group_close(struct group *group)
{
	if (!group)
		return;
	switches_leave(&group->switches);
	/* leader last: otherwise the kernel makes each sibling a leader first */
	for (unsigned b = group->n_bundles; b-- > 0;) {
		const struct value_order *order = &group->bundle[b].order;

		for (unsigned i = order->n; i-- > 0;)
			close(order->slot[i] == VALUE_NONE ? group->unseen[--group->n_unseen]
							   : group->fd[order->slot[i]]);
	}
	activity_core_close(group->activity);
	free(group);
}

/*
 * Apply an ioctl to the leaders only; siblings follow and are never disabled themselves. Linux 6.18
 * does not restart siblings that PERF_IOC_FLAG_GROUP has disabled (test_mux_groups_count_again).
 */
static int each_leader(struct group *group, unsigned long request)
{
	for (unsigned b = 0; b < group->n_bundles; b++) {
		group->bundle[b].enabled_ns = 0;
		if (ioctl(group->bundle[b].leader, request, 0))
			return -errno;
	}
	return 0;
}

int perf_group_enable(struct group *group)
{
	group->is_counting = true;
	activity_core_enable(group->activity);
	return each_leader(group, PERF_EVENT_IOC_ENABLE);
}

int perf_group_disable(struct group *group)
{
	group->is_counting = false;
	activity_core_disable(group->activity);
	return each_leader(group, PERF_EVENT_IOC_DISABLE);
}

/* read(2) of a group: PERF_FORMAT_GROUP with both times */
struct group_values {
	uint64_t nr;
	uint64_t enabled_ns;
	uint64_t running_ns;
	uint64_t value[VALUES_MAX];
};

/* @return 0; -ENODEV torn; -EIO no value */
static int read_bundle(struct group *group, struct bundle *bundle, struct sample *ret)
{
	const struct value_order *order = &bundle->order;
	struct group_values values;
	ssize_t n = read(bundle->leader, &values, sizeof(values));

	/* 0: a pinned event that lost its counter; ours are not pinned, but it must not pass as a value */
	if (n < (ssize_t)(3 * sizeof(uint64_t)))
		return n < 0 && errno == ENODEV ? -ENODEV : -EIO;
	/* the CPU went offline, which takes the group apart: only the leader is left (nr), and its
	 * clock stops, the only sign for a group of one */
	if (values.nr < order->n || (group->is_counting && values.enabled_ns == bundle->enabled_ns))
		return -ENODEV;
	bundle->enabled_ns = values.enabled_ns;
	if (order->switches != VALUE_NONE) {
		ret->at.stream = group->switches.id;
		ret->at.n = values.value[group->switches.order.switches];
		ret->at.enabled_ns = values.enabled_ns;
		ret->at.running_ns = values.running_ns;
		ret->attributable = 0;
	}
	for (unsigned i = 0; i < order->n; i++) {
		if (order->slot[i] == VALUE_NONE)
			continue;
		if (order->switches != VALUE_NONE)
			ret->attributable |= UINT64_C(1) << order->slot[i];
		ret->raw[order->slot[i]] = (struct raw){
			.value = values.value[i],
			.enabled_ns = values.enabled_ns,
			.running_ns = values.running_ns,
		};
	}
	return 0;
}

int perf_group_read(struct group *group, struct sample *ret)
{
	uint64_t enabled_ns = 0; /* of the core's own events */

	ret->n_slots = group->n_slots;
	memcpy(ret->state, group->state, sizeof(ret->state));
	for (unsigned b = 0; b < group->n_bundles; b++) {
		struct bundle *bundle = &group->bundle[b];
		int rc = read_bundle(group, bundle, ret);

		if (rc == -ENODEV && !bundle->uncore)
			return rc;
		for (unsigned i = 0; rc && i < bundle->order.n; i++)
			if (bundle->order.slot[i] != VALUE_NONE)
				ret->state[bundle->order.slot[i]] = RAW_LOST;
		if (!bundle->uncore)
			enabled_ns = bundle->enabled_ns;
	}
	activity_core_read(group->activity, enabled_ns, ret);
	return 0;
}

/* ---- opening ---- */

/* State of opening a group. */
struct group_opening {
	struct perf *perf;
	struct group *group;
	const struct placement *place;
	const struct core *core;
	bool by_task;
	struct text missing; /* "NAME: reason; …" of events not counted here */
	struct err *err;
};

static struct bundle *bundle_for(struct group *group, const struct pmu *pmu)
{
	const struct pmu *uncore = pmu->kind == PMU_UNCORE ? pmu : NULL;
	struct bundle *bundle = group->bundle;

	while (bundle < group->bundle + group->n_bundles && bundle->uncore != uncore)
		bundle++;
	bundle->uncore = uncore;
	return bundle;
}

static bool is_new(const struct group *group, const struct bundle *bundle)
{
	return bundle == group->bundle + group->n_bundles;
}

static void opening_append(struct group *group, struct bundle *bundle, uint8_t slot, int fd)
{
	if (is_new(group, bundle)) {
		bundle->leader = fd;
		bundle->order.switches = VALUE_NONE;
		group->n_bundles++;
	}
	bundle->order.slot[bundle->order.n++] = slot;
}

/* Add an event without a slot; called before any slot's event. */
static void join_unseen(struct group *group, int fd)
{
	opening_append(group, &group->bundle[0], VALUE_NONE, fd);
	group->unseen[group->n_unseen++] = fd;
}

static int leader_of(const struct group *group, const struct bundle *bundle)
{
	return is_new(group, bundle) ? -1 : bundle->leader;
}

static void opening_not_counted(struct group_opening *opening, const struct event *event,
				const char *why)
{
	text_printf(&opening->missing, "%s%s on CPU %u: %s", opening->missing.n ? "; " : "",
		    event->name, opening->core->cpu, why);
}

const char *perf_reason(int code)
{
	switch (code) {
	case ENOENT: return "this PMU has no such event";
	case E2BIG: return "this kernel is too old for its encoding";
	case EINVAL: return "the kernel does not accept its encoding";
	case EMFILE:
		return "no file descriptors are left (raise `ulimit -n`; `m1top doctor` says how "
		       "far)";
	case ENFILE: return "the system has no file descriptors left (raise fs.file-max)";
	default: return strerror(code);
	}
}

static int open_event(const struct group_opening *opening, const struct event *event, int leader)
{
	union perf_attr attr;

	perf_attr(event->pmu, event->config, event->privilege, leader < 0, &attr);
	if (opening->by_task)
		switches_clock(&attr); /* a group has one clock */
	return perf_open(opening->perf, &attr, opening->core->cpu, leader);
}

/* Whether an event can be opened; closes it again. @leader  -1: alone */
static bool opens(const struct group_opening *opening, const struct event *event, int leader)
{
	int fd = open_event(opening, event, leader);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Whether the event fits with the leader's stream filter: the counters of some SMMUs share one. */
static bool fits_with_streams(const struct group_opening *opening, const struct event *event,
			      const struct bundle *bundle)
{
	unsigned first = bundle->order.slot[0];
	const struct event *leader = first == VALUE_NONE ? NULL : opening->place->event[first];
	struct event same = *event;

	if (!leader || event->streams == leader->streams)
		return false;
	same.config[1] = (event->config[1] & ~event->streams) | leader->streams;
	return opens(opening, &same, bundle->leader);
}

static int does_not_fit(const struct group_opening *opening, const struct event *event,
			const struct bundle *bundle, int code)
{
	struct text text = { 0 };
	size_t n;

	text_printf(&text, "%s does not fit with ", event->name);
	n = text.n;
	for (unsigned i = 0; i < bundle->order.n; i++)
		if (bundle->order.slot[i] != VALUE_NONE)
			text_printf(&text, "%s%s", text.n > n ? ", " : "",
				    opening->place->event[bundle->order.slot[i]]->name);
	text_printf(&text, " on CPU %u: %s has %s", opening->core->cpu, event->pmu->name,
		    fits_with_streams(opening, event, bundle)
			    ? "one stream filter for all its counters; give its events the "
			      "same stream="
			    : "no counter left for it");
	return text_to_err(&text, code, opening->err);
}

/* @return -ENODEV if the CPU is offline; 0 */
static int check_online(const struct group_opening *opening)
{
	unsigned cpu = opening->core->cpu;

	return sysfs_is_online(opening->perf->root, cpu)
		       ? 0
		       : err_set(opening->err, ENODEV, "CPU %u is offline", cpu);
}

/* Handle a refused event: fatal ones are an error, others leave only this slot uncounted. */
static int opening_refused(struct group_opening *opening, const struct event *event,
			   const struct bundle *bundle, int code)
{
	if (code == EACCES || code == EPERM)
		return perf_denied(opening->perf->root, code, opening->err);
	if (check_online(opening))
		return -ENODEV;
	/* it opens alone, but not in the group: the group is too large for the PMU */
	if ((code == EINVAL || code == ENOSPC) && bundle->order.n && opens(opening, event, -1))
		return does_not_fit(opening, event, bundle, code);
	opening_not_counted(opening, event, perf_reason(code));
	return 0;
}

static int opening_add_event(struct group_opening *opening, unsigned slot)
{
	const struct event *event = opening->place->event[slot];
	struct bundle *bundle = bundle_for(opening->group, event->pmu);

	if (event->privilege != PRIVILEGE_BOTH && !event->pmu->honours_privilege) {
		opening_not_counted(opening, event, "its PMU cannot tell user from kernel");
		return 0;
	}

	int fd = open_event(opening, event, leader_of(opening->group, bundle));

	if (fd < 0)
		return opening_refused(opening, event, bundle, -fd);
	opening_append(opening->group, bundle, (uint8_t)slot, fd);
	opening->group->fd[slot] = fd;
	opening->group->state[slot] = RAW_OK;
	return 0;
}

static bool is_core_event(const struct event *event)
{
	return event->pmu->kind == PMU_CORE;
}

static bool counts_on(const struct pmu *pmu, unsigned cpu)
{
	if (pmu->kind == PMU_ACTIVITY) /* not counted by the kernel */
		return false;
	return pmu_is_everywhere(pmu) || cpus_has(&pmu->cpus, cpu);
}

/* Open core or other events; hardware events come first, as software events can follow them but
 * not lead them. */
static int add_events(struct group_opening *opening, bool core_events)
{
	const struct placement *place = opening->place;
	int rc = 0;

	for (unsigned i = 0; i < place->n_order && !rc; i++) {
		const struct event *event = place->event[place->order[i]];

		if (is_core_event(event) == core_events &&
		    opening->group->fd[place->order[i]] < 0 &&
		    counts_on(event->pmu, opening->core->cpu))
			rc = opening_add_event(opening, place->order[i]);
	}
	return rc;
}

/* Set the initial states: an uncore event of other cores is empty here, the rest is not counted. */
static void init_slots(struct group *group, const struct set *set, const struct placement *place,
		       unsigned cpu)
{
	for (unsigned i = 0; i < SLOTS_MAX; i++) {
		const struct event *event = place->event[i];
		bool elsewhere =
			event && event_is_of_device(event) && !cpus_has(&event->pmu->cpus, cpu);

		group->fd[i] = -1;
		group->state[i] = event && !elsewhere ? RAW_UNSUPPORTED : RAW_EMPTY;
	}
	group->n_slots = (uint8_t)sample_n_slots(group->state, set->n_slots);
}

static int open_activity(struct group_opening *opening)
{
	const struct machine *machine = &opening->perf->base.machine;
	const struct activity_slots slots = placement_activity(opening->place);
	struct err why = { "" };
	int rc = activity_core_open(machine, (unsigned)(opening->core - machine->core), &slots,
				    &opening->group->activity, &why);

	if (rc && check_online(opening))
		return -ENODEV;
	return rc ? err_set(opening->err, -rc, "%s", why.text) : 0;
}

static const struct event *find_share_of_slots(const struct group_opening *opening)
{
	const struct placement *place = opening->place;

	for (unsigned i = 0; i < place->n_order; i++) {
		const struct event *event = place->event[place->order[i]];

		if (is_core_event(event) && counts_on(event->pmu, opening->core->cpu) &&
		    pmu_divides_slots(event->pmu, event->config))
			return event;
	}
	return NULL;
}

/* Open Intel's slots event as the leader, in its own slot if the set has it, else unseen. */
static int lead_by_slots(struct group_opening *opening)
{
	const struct event *share = find_share_of_slots(opening);
	const struct placement *place = opening->place;
	struct event slots;
	int fd;

	if (!share)
		return 0;
	slots = *share;
	if (pmu_encode(share->pmu, pmu_alias_find(share->pmu, "slots")->terms, slots.config,
		       opening->err))
		return -EINVAL;
	for (unsigned i = 0; i < place->n_order; i++)
		if (event_counts_as(place->event[place->order[i]], &slots))
			return opening_add_event(opening, place->order[i]);
	fd = open_event(opening, &slots, -1);
	if (fd >= 0)
		join_unseen(opening->group, fd);
	return 0; /* without it, the events that divide it are refused and named */
}

/* Count context switches, before all other events: hardware events may follow this software
 * leader, and the kernel then keeps the whole group with the hardware events. */
static int count_switches(struct group_opening *opening)
{
	struct group *group = opening->group;
	int leader = leader_of(group, &group->bundle[0]);
	union perf_attr attr;

	perf_switches_attr(leader < 0, &attr);
	if (!opening->perf->has_asked_cgroups)
		perf_cgroups_check(opening->perf->root, &opening->perf->base.no_cgroups);
	opening->perf->has_asked_cgroups = true;
	if (!*opening->perf->base.no_cgroups.text)
		perf_switches_add_cgroups(&attr);

	int fd = perf_open(opening->perf, &attr, opening->core->cpu, leader);

	if (fd == -EACCES || fd == -EPERM)
		return perf_denied(opening->perf->root, -fd, opening->err);
	if (fd < 0 && check_online(opening))
		return -ENODEV;
	if (fd < 0)
		return err_set(opening->err, -fd, "cannot record context switches on CPU %u: %s",
			       opening->core->cpu, perf_reason(-fd));
	join_unseen(group, fd);
	group->bundle[0].order.switches = (uint8_t)(group->bundle[0].order.n - 1);
	return 0;
}

static int open_all(struct group_opening *opening)
{
	struct group *group = opening->group;
	int rc = lead_by_slots(opening);

	if (!rc && opening->by_task)
		rc = count_switches(opening);
	if (!rc)
		rc = add_events(opening, true);
	if (!rc)
		rc = add_events(opening, false);
	if (!rc && opening->by_task) {
		/* last: the collector examines all groups that have joined */
		group->switches.order = group->bundle[0].order;
		group->switches.n_slots = group->n_slots;
		rc = switches_join(opening->perf, opening->core, group->unseen[group->n_unseen - 1],
				   &group->switches, opening->err);
	}
	if (!rc)
		rc = open_activity(opening);
	if (!rc)
		err_set(opening->err, 0, "%s", opening->missing.n ? opening->missing.bytes : "");
	text_fini(&opening->missing);
	return rc;
}

static struct group *group_new(const struct placement *place)
{
	size_t n_bundles = 1;

	for (unsigned i = 0; i < place->n_order; i++)
		n_bundles += event_is_of_device(place->event[place->order[i]]);
	return calloc(1, sizeof(struct group) + n_bundles * sizeof(struct bundle));
}

int perf_group_open(struct backend *backend, unsigned core, const struct set *set,
		    struct group **ret, struct err *err)
{
	const struct core *on = &backend->machine.core[core];
	struct group *group = group_new(&set->type[on->type]);
	struct group_opening opening = {
		.perf = (struct perf *)backend,
		.group = group,
		.place = &set->type[on->type],
		.core = on,
		.by_task = set->by_task && set->n_slots && !backend->without_rights,
		.err = err,
	};

	if (!group)
		return err_set(err, ENOMEM, "out of memory");
	init_slots(group, set, opening.place, on->cpu);

	int rc = backend->without_rights ? open_activity(&opening) : open_all(&opening);

	if (rc)
		perf_group_close(group);
	else
		*ret = group;
	return rc;
}
