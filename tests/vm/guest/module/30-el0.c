/* counters without a system call: on every core while a session has EL0 open, and not after */
#include "m1pmu.h"
#include "tap.h"

/** The program `pmc` reads PMC9 on a CPU: the signal that ended it, or 0. */
static int el0_signal(int cpu)
{
	char number[8];
	pid_t child = fork();
	int status;

	if (child == 0) {
		snprintf(number, sizeof number, "%d", cpu);
		freopen("/dev/null", "w", stdout);
		execl("/vm/bin/pmc", "pmc", number, "9", NULL);
		_exit(127);
	}
	waitpid(child, &status, 0);
	return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

static int n_with(int wanted)
{
	int n = 0;

	for (int cpu = 0; cpu < N_CPUS; cpu++)
		n += el0_signal(cpu) == wanted;
	return n;
}

int main(void)
{
	struct m1pmu_program program = legal_program();
	struct m1pmu_info info;
	__u32 on = 1;
	int fd = device_open();

	request(fd, M1PMU_ACQUIRE, NULL);
	request(fd, M1PMU_PROGRAM, &program);
	ok(n_with(SIGILL) == N_CPUS, "a session alone does not open it: SIGILL on all cores");
	request(fd, M1PMU_EL0, &on);
	request(fd, M1PMU_INFO, &info);
	ok(n_with(0) == N_CPUS, "M1PMU_EL0: MRS works on all %d cores", N_CPUS);
	ok(info.flags & M1PMU_EL0_OPEN, "info says that it is open");
	ok(kernel_said("opened the PMU registers to user space"), "so does the kernel log");
	set_online(6, false);
	set_online(6, true);
	emulate("sleep 3");
	ok(n_with(0) == N_CPUS, "also after hotplug and deep idle");
	request(fd, M1PMU_PROGRAM, &program);
	ok(n_with(0) == N_CPUS, "and another program");
	close(fd);
	ok(n_with(SIGILL) == N_CPUS, "SIGILL on all cores after the session");
	return finish();
}
