/*
 * m1pmu [acquire|amu [CPU]]: what the device says of itself, and whether it can be acquired or the
 * activity monitors of a CPU be read
 */
#include "m1pmu.h"

static void print_info(int fd)
{
	static const char *const names[] = { "apple", "driver", "amu",         "owned",
					     "mine",  "el0",    "l2c-cluster", "no-el3" };
	struct m1pmu_info info;

	if (ioctl(fd, M1PMU_INFO, &info)) {
		perror("info");
		return;
	}
	printf("abi %u:", info.abi);
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (info.flags & 1u << i)
			printf(" %s", names[i]);
	printf(" pid %d\n", info.owner_pid);
}

static void print_amu(int fd, int cpu)
{
	struct m1pmu_amu amu;

	pin_to(cpu);
	if (ioctl(fd, M1PMU_AMU_READ, &amu)) {
		printf("amu: %s\n", strerror(errno));
		return;
	}
	printf("%u %u %" PRIu64 " %#" PRIx64 " %#" PRIx64 " %#" PRIx64, amu.cpu, amu.n_aux,
	       (uint64_t)amu.time_ns, (uint64_t)amu.amcfgr, (uint64_t)amu.amcgcr,
	       (uint64_t)amu.enabled);
	for (int i = 0; i < 4; i++)
		printf(" %" PRIu64, (uint64_t)amu.fixed[i]);
	putchar('\n');
}

int main(int argc, char **argv)
{
	int fd = device_open();

	if (fd < 0) {
		perror(M1PMU_DEVICE);
		return 1;
	}
	if (argc > 1 && !strcmp(argv[1], "acquire"))
		printf("acquire: %s\n", ioctl(fd, M1PMU_ACQUIRE) ? strerror(errno) : "done");
	else if (argc > 1 && !strcmp(argv[1], "amu"))
		print_amu(fd, argc > 2 ? (int)strtol(argv[2], NULL, 10) : 0);
	else
		print_info(fd);
	return 0;
}
