/*
 * m1pmu [acquire|hold|amu [CPU]]: what the device says of itself, and whether it can be acquired or the
 * activity monitors of a CPU be read; "hold" counts until the session ends, and prints how it ended
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

static void hold(int fd)
{
	struct m1pmu_program program = legal_program();
	struct m1pmu_read read;
	int other = device_open();

	printf("acquire: %s\n", strerror(request(fd, M1PMU_ACQUIRE, NULL)));
	printf("program: %s\n", strerror(request(fd, M1PMU_PROGRAM, &program)));
	fflush(stdout);
	while (!request(fd, M1PMU_READ, &read))
		usleep(50000);
	printf("read: %s\n", strerror(request(fd, M1PMU_READ, &read)));
	printf("program: %s\n", strerror(request(fd, M1PMU_PROGRAM, &program)));
	printf("acquire: %s\n", strerror(request(fd, M1PMU_ACQUIRE, NULL)));
	printf("another reads: %s\n", strerror(request(other, M1PMU_READ, &read)));
	printf("release: %s\n", strerror(request(fd, M1PMU_RELEASE, NULL)));
	printf("acquire: %s\n", strerror(request(fd, M1PMU_ACQUIRE, NULL)));
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
	else if (argc > 1 && !strcmp(argv[1], "hold"))
		hold(fd);
	else if (argc > 1 && !strcmp(argv[1], "amu"))
		print_amu(fd, argc > 2 ? (int)strtol(argv[2], NULL, 10) : 0);
	else
		print_info(fd);
	return 0;
}
