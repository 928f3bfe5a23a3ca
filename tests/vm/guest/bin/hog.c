/* hog CPU PMU: pin all ten counters of a CPU until killed, as another user's tool would */
#include "perf.h"

int main(int argc, char **argv)
{
	/* cycles, instructions, then events that any counter of 2-9 takes */
	static const uint64_t configs[] = { 0x02, 0x8c, 0x70, 0x71, 0x72,
					    0x73, 0x74, 0x75, 0x76, 0x77 };

	if (argc < 3)
		return 2;
	for (int i = 0; i < EVENTS_MAX; i++) {
		struct perf_event_attr attr = event_attr(pmu_type(argv[2]), configs[i]);

		attr.pinned = 1;
		attr.read_format &= ~(uint64_t)PERF_FORMAT_GROUP;
		if (event_open(&attr, (int)strtol(argv[1], NULL, 10), -1) < 0) {
			perror("hog");
			return 1;
		}
	}
	puts("holding");
	fflush(stdout);
	pause();
	return 0;
}
