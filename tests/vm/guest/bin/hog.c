/* hog CPU PMU: pin all ten counters of a CPU until killed, as another user's tool would
 * hog CPU PMU CONFIG CONFIG1: pin one event of a device */
#include "perf.h"

static int pin(struct perf_event_attr attr, const char *cpu)
{
	attr.pinned = 1;
	attr.read_format &= ~(uint64_t)PERF_FORMAT_GROUP;
	if (event_open(&attr, (int)strtol(cpu, NULL, 10), -1) >= 0)
		return 0;
	perror("hog");
	return 1;
}

static int pin_all(const char *pmu, const char *cpu)
{
	/* cycles, instructions, then events that any counter of 2-9 takes */
	static const uint64_t configs[] = { 0x02, 0x8c, 0x70, 0x71, 0x72,
					    0x73, 0x74, 0x75, 0x76, 0x77 };
	int failed = 0;

	for (int i = 0; i < EVENTS_MAX && !failed; i++)
		failed = pin(event_attr(pmu_type(pmu), configs[i]), cpu);
	return failed;
}

static int pin_one(const char *pmu, const char *cpu, const char *config, const char *config1)
{
	struct perf_event_attr attr = event_attr(pmu_type(pmu), strtoull(config, NULL, 0));

	attr.config1 = strtoull(config1, NULL, 0);
	attr.exclude_guest = 0; /* devices know no levels */
	return pin(attr, cpu);
}

int main(int argc, char **argv)
{
	if (argc != 3 && argc != 5)
		return 2;
	if (argc == 3 ? pin_all(argv[2], argv[1]) : pin_one(argv[2], argv[1], argv[3], argv[4]))
		return 1;
	puts("holding");
	fflush(stdout);
	pause();
	return 0;
}
