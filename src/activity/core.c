/* What of one core is read: opened by the main thread, read by the core's. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "activity/path.h"
#include "machine/sysfs.h"

/* ---- files ---- */

const char *activity_file(unsigned cpu, const char *name, char *buf, size_t size)
{
	snprintf(buf, size, "/sys/devices/system/cpu/cpu%u/%s", cpu, name);
	return buf;
}

static int open_below(const char *root, const char *path)
{
	char full[512];
	int fd;

	snprintf(full, sizeof(full), "%s%s", root, path);
	fd = open(full, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Several files a core: many cores have more than a shell allows by itself. */
static bool raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return false;
	limit.rlim_cur = limit.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

int activity_open(const struct activity_place *place, const char *path, struct err *err)
{
	int fd = open_below(place->root, path);

	if (fd == -EMFILE && raise_limit())
		fd = open_below(place->root, path);
	return fd < 0 ? err_set(err, -fd, "%s: %s", path, strerror(-fd)) : fd;
}

/* ---- opening ---- */

static int open_path(struct activity_core *core, struct err *err)
{
	const struct activity_path *path = core->path;
	char file[128];

	if (path->file) {
		activity_file(core->place.cpu, path->file, file, sizeof(file));
		core->fd = activity_open(&core->place, file, err);
		if (core->fd < 0)
			return core->fd;
	}
	return path->open(core, err);
}

int activity_probe(const struct activity_path *path, const struct activity_place *place,
		   uint32_t *ret_events, struct err *err)
{
	struct activity_core core = { .path = path, .place = *place, .fd = -1 };
	char file[128];

	if (path->probe)
		return path->probe(place, ret_events, err);
	if (path->file &&
	    !sysfs_exists(place->root, activity_file(place->cpu, path->file, file, sizeof(file))))
		return err_set(err, ENODEV, "no %s here: %s", path->file, path->whose);

	int rc = open_path(&core, err);

	activity_core_fini(&core);
	if (!rc)
		*ret_events = path->events;
	return rc;
}

static int open_core(struct activity_core *core, const struct machine *machine,
		     const struct core *on, struct err *err)
{
	const struct activity *activity = machine->activity;

	core->path = activity->type[on->type].path;
	if (cpus_has(&activity->type[on->type].lacking, on->cpu)) {
		core->path = &activity_idle;
		core->lacks = ~activity_idle.events;
	}
	core->place = (struct activity_place){
		.io = activity->io, .root = activity->root, .cpu = on->cpu, .midr = on->midr
	};
	return open_path(core, err);
}

int activity_core_open(const struct machine *machine, unsigned core,
		       const struct activity_slots *slots, struct activity_core **ret,
		       struct err *err)
{
	const struct core *on = &machine->core[core];
	struct activity_core *made;

	*ret = NULL;
	if (!slots->n)
		return 0;
	made = calloc(1, sizeof(*made));
	if (!made)
		return err_set(err, ENOMEM, "out of memory");
	made->fd = -1;
	made->slots = *slots;

	int rc = open_core(made, machine, on, err);

	if (rc) {
		activity_core_close(made);
		return rc;
	}
	*ret = made;
	return 0;
}

void activity_core_fini(struct activity_core *core)
{
	idle_close(&core->idle);
	if (core->fd >= 0)
		close(core->fd);
	core->fd = -1;
}

void activity_core_close(struct activity_core *core)
{
	if (!core)
		return;
	activity_core_fini(core);
	free(core);
}

/* ---- the core's thread ---- */

/* What was there before does not count. */
void activity_core_enable(struct activity_core *core)
{
	uint64_t value[N_ACTIVITY_EVENTS], constant;

	if (!core)
		return;
	memcpy(value, core->value, sizeof(value));
	constant = core->constant;
	core->path->read(core, 0);
	memcpy(core->value, value, sizeof(value));
	core->constant = constant;
	core->idle_debt_ns = 0;
	core->t_ns = clock_now_ns();
	core->state = RAW_OK;
	core->is_counting = true;
}

static void count(struct activity_core *core)
{
	uint64_t t_ns = clock_now_ns();

	if (!core->is_counting)
		return;
	core->state = (uint8_t)core->path->read(core, t_ns - core->t_ns);
	core->counted_ns += t_ns - core->t_ns;
	core->n_windows++;
	core->t_ns = t_ns;
}

void activity_core_disable(struct activity_core *core)
{
	if (!core)
		return;
	count(core);
	core->is_counting = false;
}

/* An estimate never ran for the whole of its window: so it is shown as one. */
static struct raw raw_of(const struct activity_core *core, enum activity_event event,
			 uint64_t enabled_ns)
{
	bool is_estimate = core->path->is_estimate && event == ACTIVITY_CYCLES;

	return (struct raw){
		.value = core->value[event],
		.enabled_ns = enabled_ns,
		.running_ns = is_estimate ? enabled_ns - core->n_windows : enabled_ns,
	};
}

void activity_core_read(struct activity_core *core, uint64_t enabled_ns, struct sample *ret)
{
	if (!core)
		return;
	count(core);
	for (unsigned i = 0; i < core->slots.n; i++) {
		unsigned slot = core->slots.slot[i];

		enum activity_event event = (enum activity_event)core->slots.event[i];

		ret->state[slot] =
			core->lacks & ACTIVITY_BIT(event) ? RAW_UNSUPPORTED : core->state;
		ret->raw[slot] = raw_of(core, event, enabled_ns ? enabled_ns : core->counted_ns);
	}
}
