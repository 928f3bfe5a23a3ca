/* Arm's activity monitors (FEAT_AMUv1), which only the kernel may read: through the module m1pmu. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "activity/path.h"
#include "backend/kmod/m1pmu_abi.h"
#include "base/file.h"

#define LOAD_LINE "sudo modprobe m1pmu amu=1"

enum { FIXED = 4, AUX_ENABLED_SHIFT = 16 };

/* ---- this machine's ---- */

static int info(int fd, struct m1pmu_info *ret)
{
	return ioctl(fd, M1PMU_INFO, ret) ? -errno : 0;
}

/* Once rights are given up it may not be opened again. @thread one at a time */
static int open_module(void)
{
	static int kept = -1;
	struct m1pmu_info about = { 0 };
	int fd = kept >= 0 ? fcntl(kept, F_DUPFD_CLOEXEC, 0)
			   : open(M1PMU_DEVICE, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (kept < 0 && !info(fd, &about) && about.flags & M1PMU_AMU)
		kept = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return fd;
}

static int read_amu(int fd, struct m1pmu_amu *ret)
{
	return ioctl(fd, M1PMU_AMU_READ, ret) ? -errno : 0;
}

/* Linux lets every program read it: arch/arm64/kernel/traps.c, cntfrq_read_handler */
static uint64_t counter_hz(void)
{
	uint64_t hz = 0;

#ifdef __aarch64__
	__asm__("mrs %0, cntfrq_el0" : "=r"(hz));
	hz &= UINT32_MAX;
#endif
	return hz;
}

const struct activity_io activity_io = {
	.pread = pread,
	.open_module = open_module,
	.info = info,
	.read_amu = read_amu,
	.counter_hz = counter_hz,
};

/* ---- what there is ---- */

static int cannot_open(int code, struct err *err)
{
	char self[512];

	file_self(self, sizeof(self));
	if (code == EACCES)
		return err_set(err, code,
			       M1PMU_DEVICE ": %s: sudo %s, or a udev rule that opens it to "
					    "you, and cap_perfmon (docs/apple.md)",
			       strerror(code), self);
	if (code == EPERM)
		return err_set(err, code,
			       M1PMU_DEVICE ": %s: sudo %s, or sudo setcap cap_perfmon+ep %s",
			       strerror(code), self, self);
	return err_set(err, ENODEV,
		       "the kernel module m1pmu is not loaded (on arm64: " LOAD_LINE ")");
}

static int check_module(const struct activity_io *io, int fd, struct err *err)
{
	struct m1pmu_info about = { 0 };
	int rc = io->info(fd, &about);

	if (rc || about.abi != M1PMU_ABI)
		return err_set(err, EPROTO,
			       "the module m1pmu has another version than this m1top: build and "
			       "load the one that came with it");
	if (!(about.flags & M1PMU_AMU))
		return err_set(err, EOPNOTSUPP,
			       "the module m1pmu is not loaded with amu=1 "
			       "(sudo rmmod m1pmu; " LOAD_LINE ")");
	return 0;
}

/* Cortex-A510 r0p0 to r1p1: the constant counter runs at a wrong rate.
 * Source: Linux arch/arm64/kernel/cpu_errata.c, ARM64_WORKAROUND_2457168 */
static bool has_erratum_2457168(uint64_t midr)
{
	uint64_t variant = midr >> 20 & 0xf, revision = midr & 0xf;

	return (midr & 0xff00fff0) == 0x4100d460 && variant <= 1 && (variant == 0 || revision <= 1);
}

static bool has_clock(const struct activity_place *place)
{
	return place->io->counter_hz() && !has_erratum_2457168(place->midr);
}

/* Firmware has to switch the counters on, and may forget some or all. */
static uint32_t events_of(const struct m1pmu_amu *amu)
{
	static const enum activity_event event[FIXED] = { ACTIVITY_CYCLES, ACTIVITY_TIME,
							  ACTIVITY_INSTRUCTIONS, ACTIVITY_STALL };
	uint32_t events = 0;

	for (unsigned i = 0; i < FIXED; i++) {
		if (amu->enabled >> i & 1)
			events |= ACTIVITY_BIT(event[i]);
	}
	for (unsigned i = 0; i < amu->n_aux && i < 16; i++) {
		if (amu->enabled >> (AUX_ENABLED_SHIFT + i) & 1)
			events |= ACTIVITY_BIT(ACTIVITY_AUX + i);
	}
	return events;
}

static bool counts(const struct m1pmu_amu *amu)
{
	return amu->enabled && amu->fixed[0] && amu->fixed[1];
}

static int not_enabled(const struct m1pmu_amu *amu, struct err *err)
{
	return err_set(err, ENODATA,
		       "firmware has not enabled the activity monitors (cycles %llu, "
		       "constant %llu, AMCNTENSET 0x%llx)",
		       (unsigned long long)amu->fixed[0], (unsigned long long)amu->fixed[1],
		       (unsigned long long)amu->enabled);
}

static int open_checked(const struct activity_place *place, struct m1pmu_amu *ret_amu,
			struct err *err)
{
	const struct activity_io *io = place->io;
	struct m1pmu_amu amu = { 0 };
	int fd = io->open_module();

	if (fd < 0)
		return cannot_open(-fd, err);

	int rc = check_module(io, fd, err);

	if (!rc) {
		rc = io->read_amu(fd, &amu);
		if (rc)
			err_set(err, -rc,
				"this processor has no activity monitors "
				"(ID_AA64PFR0_EL1.AMU is 0 on some core)");
		else if (!counts(&amu))
			rc = not_enabled(&amu, err);
	}
	if (rc) {
		close(fd);
		return rc;
	}
	*ret_amu = amu;
	return fd;
}

static int probe(const struct activity_place *place, uint32_t *ret_events, struct err *err)
{
	struct m1pmu_amu amu = { 0 };
	int fd = open_checked(place, &amu, err);

	if (fd < 0)
		return fd;
	close(fd);
	*ret_events = events_of(&amu) | ACTIVITY_BIT(ACTIVITY_TIME);
	return 0;
}

unsigned activity_aux_types(const struct activity_io *io, uint64_t ret[16])
{
	struct activity_place place = { .io = io };
	struct m1pmu_amu amu = { 0 };
	int fd = open_checked(&place, &amu, NULL);

	if (fd < 0)
		return 0;
	close(fd);
	memcpy(ret, amu.aux_type, sizeof(amu.aux_type));
	return amu.n_aux < 16 ? amu.n_aux : 16;
}

/* ---- reading ---- */

static int open_core(struct activity_core *core, struct err *err)
{
	struct m1pmu_amu amu = { 0 };

	core->fd = open_checked(&core->place, &amu, err);
	if (core->fd < 0)
		return core->fd;
	return has_clock(&core->place) ? 0 : idle_open(&core->place, &core->idle, err);
}

static void registers(const struct m1pmu_amu *amu, uint64_t ret[N_ACTIVITY_EVENTS])
{
	ret[ACTIVITY_CYCLES] = amu->fixed[0];
	ret[ACTIVITY_TIME] = amu->fixed[1];
	ret[ACTIVITY_INSTRUCTIONS] = amu->fixed[2];
	ret[ACTIVITY_STALL] = amu->fixed[3];
	memcpy(&ret[ACTIVITY_AUX], amu->aux, sizeof(amu->aux));
}

/* Power-off without firmware's care sets them all to 0. @return they went on from where they were */
static bool take_registers(struct activity_core *core, const uint64_t *now)
{
	bool went_on = true;

	for (unsigned i = 0; i < N_ACTIVITY_EVENTS; i++)
		went_on &= now[i] >= core->last[i];
	for (unsigned i = 0; i < N_ACTIVITY_EVENTS; i++) {
		if (went_on && i != ACTIVITY_TIME)
			core->value[i] += now[i] - core->last[i];
	}
	return went_on;
}

/* The constant counter stops with the core's clock: its ticks are the active time. The sum is
 * turned into ns, not each window: nothing is lost by rounding. */
static void count_time(struct activity_core *core, uint64_t ticks)
{
	double ns_per_tick = 1e9 / (double)core->place.io->counter_hz();

	core->constant += ticks;
	core->value[ACTIVITY_TIME] = (uint64_t)((double)core->constant * ns_per_tick);
}

static enum raw_state count(struct activity_core *core, const struct m1pmu_amu *amu,
			    uint64_t window_ns)
{
	uint64_t now[N_ACTIVITY_EVENTS], active_ns;
	enum raw_state state = RAW_OK;

	registers(amu, now);

	bool went_on = take_registers(core, now);

	if (!has_clock(&core->place))
		state = idle_count(core, window_ns, &active_ns);
	else if (went_on)
		count_time(core, now[ACTIVITY_TIME] - core->last[ACTIVITY_TIME]);
	memcpy(core->last, now, sizeof(now));
	return went_on ? state : RAW_RESTARTED;
}

static enum raw_state read_core(struct activity_core *core, uint64_t window_ns)
{
	struct m1pmu_amu amu = { 0 };

	if (core->place.io->read_amu(core->fd, &amu) || amu.cpu != core->place.cpu)
		return RAW_LOST;
	return counts(&amu) ? count(core, &amu, window_ns) : RAW_UNSUPPORTED;
}

const struct activity_path activity_amu = {
	.name = "amu",
	.what = "Arm's activity monitors, through the kernel module m1pmu",
	.probe = probe,
	.open = open_core,
	.read = read_core,
};
