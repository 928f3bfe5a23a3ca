/* 10 000 random requests from four processes while CPUs come and go: nothing but errors */
#include "m1pmu.h"
#include "tap.h"

enum { N_PROCESSES = 4, N_REQUESTS = 2500 };

static const unsigned long requests[] = {
	M1PMU_INFO, M1PMU_CPU,  M1PMU_ACQUIRE, M1PMU_RELEASE, M1PMU_PROGRAM,
	M1PMU_READ, M1PMU_REGS, M1PMU_EL0,     M1PMU_L2C,     M1PMU_AMU_READ,
};

static unsigned long random_request(void)
{
	unsigned long which = (unsigned long)rand() % 12;

	if (which < 10)
		return requests[which];
	return which == 10 ? (unsigned long)rand()
			   : _IOC(rand() & 3, M1PMU_IOC, rand() & 31, rand() & 255);
}

/* Random bytes now, and every other time one that makes sense with a random fault. */
static void *random_argument(void)
{
	static union {
		struct m1pmu_program program;
		unsigned char bytes[512];
	} arg;

	if (rand() % 16 == 0)
		return (void *)(unsigned long)rand();
	for (size_t i = 0; i < sizeof arg.bytes; i++)
		arg.bytes[i] = (unsigned char)rand();
	if (rand() % 2) {
		arg.program = legal_program();
		arg.program.flags = M1PMU_FORCE;
		arg.program.cpu = rand() % 4 ? (__u32)(rand() % 10)
					     : M1PMU_ALL_CPUS - 1 + (__u32)(rand() % 3);
		arg.program.event[2 + rand() % 8] = (__u16)(rand() % 300);
	} else if (rand() % 2) {
		arg.program.cpu = (__u32)(rand() % 2);
	}
	return &arg;
}

static int play(int seed)
{
	int fd = device_open(), n_done = 0;

	srand((unsigned)seed);
	for (int i = 0; i < N_REQUESTS; i++) {
		if (rand() % 64 == 0) {
			close(fd);
			fd = device_open();
		}
		if (rand() % 8 == 0)
			pin_to(rand() % N_CPUS);
		n_done += !ioctl(fd, random_request(), random_argument());
	}
	close(fd);
	return n_done > 100;
}

/* The line of a CPU that lost what it had while nobody owned it says nothing. */
static void forget(char *registers, const char *cpu)
{
	char *line = strstr(registers, cpu), *end = strchr(line, '\n');

	memmove(line, end, strlen(end) + 1);
}

int main(void)
{
	static char before[16384], after[16384];
	int n_good = 0, status;

	emulate("freeze 1");
	registers(before, sizeof before);
	for (int i = 0; i < N_PROCESSES; i++)
		if (fork() == 0)
			_exit(play(i + 1) ? 0 : 1);
	for (int i = 0; i < 3; i++) {
		set_online(5, false);
		emulate("sleep 2");
		set_online(5, true);
	}
	for (int i = 0; i < N_PROCESSES; i++) {
		wait(&status);
		n_good += WIFEXITED(status) && WEXITSTATUS(status) == 0;
	}
	ok(n_good == N_PROCESSES, "%d random requests, many of them carried out",
	   N_PROCESSES * N_REQUESTS);
	registers(after, sizeof after);
	for (int i = 0; i < 2; i++) {
		forget(before, i ? "cpu5" : "cpu2");
		forget(after, i ? "cpu5" : "cpu2");
	}
	if (!ok(!strcmp(before, after), "registers as before"))
		printf("# %s\n# %s\n", before, after);
	ok(!kernel_said("WARNING") && !kernel_said("BUG") && !kernel_said("Call trace"),
	   "no complaint of the kernel");
	emulate("freeze 0");
	return finish();
}
