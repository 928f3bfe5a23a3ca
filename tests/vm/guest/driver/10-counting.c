/* the stock driver on the emulation, through plain perf_event_open: what m1top's backend builds on */
#include <errno.h>

#include "perf.h"
#include "tap.h"

enum { IDLE_MHZ = 320 };

static const uint64_t cycles_and_instructions[] = { 0x02, 0x8c };
static int e_type, p_type;

struct rate {
	double cycles_mhz, ipc;
};

/* Cycles per microsecond of counted time and instructions per cycle of a CPU in half a second. */
static struct rate measure(int type, int cpu)
{
	struct group_reading before, after;
	int fds[2];

	if (group_open(type, cpu, cycles_and_instructions, 2, fds) != 2)
		return (struct rate){ 0 };
	group_read(fds[0], &before);
	usleep(500000);
	group_read(fds[0], &after);
	group_close(fds, 2);
	return (struct rate){
		.cycles_mhz = 1e3 * (double)(after.counts[0] - before.counts[0]) /
			      (double)(after.running_ns - before.running_ns),
		.ipc = (double)(after.counts[1] - before.counts[1]) /
		       (double)(after.counts[0] - before.counts[0]),
	};
}

static bool near(double value, double wanted, double share)
{
	return value > wanted * (1 - share) && value < wanted * (1 + share);
}

/* Of a CPU that has a loop to run. The emulator may make it wait for its turn; it never makes it faster. */
static struct rate busiest(int type, int cpu, double mhz)
{
	struct rate best = { 0 };

	for (int i = 0; i < 9 && best.cycles_mhz < mhz * 0.98; i++) {
		struct rate rate = measure(type, cpu);

		if (rate.cycles_mhz > best.cycles_mhz)
			best = rate;
	}
	return best;
}

/*
 * Of the P cores beside the busy one: the kernel may have something to do on one of them, and one that
 * the emulator makes wait for its turn is not idle either. So there is more than one look.
 */
static struct rate idlest(void)
{
	static const int cpus[] = { 4, 6, 7, 4, 6, 7, 4, 6, 7 };
	struct rate best = { .cycles_mhz = 1e9 };

	for (size_t i = 0; i < sizeof cpus / sizeof *cpus && best.cycles_mhz > IDLE_MHZ; i++) {
		struct rate rate = measure(p_type, cpus[i]);

		if (rate.cycles_mhz < best.cycles_mhz)
			best = rate;
	}
	return best;
}

static void test_rates(void)
{
	pid_t e_busy = busy_start(1), p_busy = busy_start(5);
	struct rate e = busiest(e_type, 1, 2064), p = busiest(p_type, 5, 3204), idle = idlest();

	busy_stop(e_busy);
	busy_stop(p_busy);
	ok(near(p.cycles_mhz, 3204, 0.02), "a busy P core counts 3204 cycles a microsecond (%.0f)",
	   p.cycles_mhz);
	ok(near(p.ipc, 2.5, 0.001), "at 2.5 instructions per cycle (%.4f)", p.ipc);
	ok(near(e.cycles_mhz, 2064, 0.02), "a busy E core counts 2064 cycles a microsecond (%.0f)",
	   e.cycles_mhz);
	ok(near(e.ipc, 1.2, 0.002), "at 1.2 instructions per cycle (%.4f)", e.ipc);
	ok(idle.cycles_mhz < IDLE_MHZ, "an idle neighbour less than a tenth (%.0f)",
	   idle.cycles_mhz);
}

static void test_user_only(void)
{
	struct perf_event_attr attr = event_attr(p_type, 0x02);
	struct group_reading reading;
	int fd;

	attr.exclude_kernel = 1;
	fd = event_open(&attr, 4, -1);
	pin_to(0);
	usleep(300000);
	group_read(fd, &reading);
	close(fd);
	ok(reading.running_ns > 200000000 && reading.counts[0] < 3204,
	   "user only on an idle CPU counts less than a microsecond's cycles (%llu)",
	   (unsigned long long)reading.counts[0]);
}

static void test_refusals(void)
{
	static const uint64_t too_many[] = { 0x02, 0x93, 0x94, 0x95, 0x98 };
	static const uint64_t ten[] = {
		0x02, 0x8c, 0x93, 0x94, 0x95, 0x70, 0x71, 0x72, 0x73, 0x74
	};
	int fds[EVENTS_MAX], n;

	n = group_open(e_type, 5, cycles_and_instructions, 1, fds);
	ok(n == 0 && errno == ENOENT, "an E event on a P core: ENOENT");
	n = group_open(p_type, 4, too_many, 5, fds);
	ok(n == 4 && errno == EINVAL, "a fourth event of PMC5-7: EINVAL at open");
	group_close(fds, n);
	n = group_open(p_type, 4, ten, 10, fds);
	ok(n == 10, "ten counters in one group");
	group_close(fds, n);
}

static void set_online(int cpu, bool is_online)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/online", cpu);
	file = fopen(path, "w");
	if (!file || fprintf(file, "%d", is_online) < 0 || fclose(file))
		perror(path);
}

static void test_hotplug(void)
{
	struct group_reading torn, frozen, later;
	struct rate again;
	pid_t busy;
	int fds[2];

	group_open(p_type, 6, cycles_and_instructions, 2, fds);
	set_online(6, false);
	group_read(fds[0], &torn);
	ok(torn.nr == 1, "unplugging a CPU tears its group: nr is %llu of 2",
	   (unsigned long long)torn.nr);
	set_online(6, true);
	busy = busy_start(6);
	group_read(fds[0], &frozen);
	usleep(100000);
	group_read(fds[0], &later);
	group_close(fds, 2);
	ok(frozen.counts[0] == later.counts[0], "its events stay frozen when it is back");
	again = busiest(p_type, 6, 3204);
	busy_stop(busy);
	ok(near(again.cycles_mhz, 3204, 0.02), "opened again they count (%.0f)", again.cycles_mhz);
}

int main(void)
{
	e_type = pmu_type("apple_icestorm_pmu");
	p_type = pmu_type("apple_firestorm_pmu");
	test_rates();
	test_user_only();
	test_refusals();
	test_hotplug();
	return finish();
}
