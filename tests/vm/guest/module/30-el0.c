/* counters without a system call: on every core while a session has EL0 open, and not after */
#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/syscall.h>

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

/** A process without rights writes PMCR0 on a CPU, as the emulation shows it after. */
static void write_pmcr0(int cpu, const char *value)
{
	char number[8];
	pid_t child = fork();

	if (child == 0) {
		snprintf(number, sizeof number, "%d", cpu);
		freopen("/dev/null", "w", stdout);
		setuid(1000);
		execl("/vm/bin/pmc", "pmc", number, "10", value, NULL);
		_exit(127);
	}
	waitpid(child, NULL, 0);
}

static bool has_ended(int fd)
{
	struct m1pmu_read read;

	for (int i = 0; i < 200; i++) {
		if (request(fd, M1PMU_READ, &read) == ECANCELED)
			return true;
		usleep(50000);
	}
	return false;
}

/** Every CPU's PMCR0 is this, in the emulation's own list. */
static bool all_are(const char *pmcr0)
{
	static char text[16384];
	int n = 0;

	registers(text, sizeof text);
	for (char *at = text; (at = strstr(at, pmcr0)); at++)
		n++;
	return n == N_CPUS;
}

/* Each of these is what a process may write, and nobody may leave there. */
static void test_misuse(const char *what, int cpu, const char *pmcr0, bool is_reading)
{
	struct m1pmu_program program = legal_program(), stop = { .cpu = M1PMU_ALL_CPUS };
	struct m1pmu_info info;
	char said[64];
	__u32 on = 1;
	int fd = device_open();

	request(fd, M1PMU_ACQUIRE, NULL);
	request(fd, M1PMU_PROGRAM, &program);
	request(fd, M1PMU_EL0, &on);
	pin_to(7); /* reading there looks at that CPU alone */
	write_pmcr0(cpu, pmcr0);
	if (is_reading) { /* a program comes before the second is over */
		program.cpu = cpu;
		request(fd, M1PMU_PROGRAM, &program);
	}
	ok(has_ended(fd), "%s: the session ends", what);
	for (int i = 0; i < 200 && !all_are(" PMCR0=0x0 "); i++)
		usleep(50000);
	ok(all_are(" PMCR0=0x0 "), "every PMCR0 is clear");
	ok(n_with(SIGILL) == N_CPUS, "the registers are closed");
	request(fd, M1PMU_INFO, &info);
	ok(!(info.flags & M1PMU_EL0_OPEN), "info says so");
	snprintf(said, sizeof said, "interrupts on CPU %d (PMCR0 %s)", cpu, pmcr0);
	ok(kernel_said(said), "and the kernel log why");
	ok(request(fd, M1PMU_PROGRAM, &program) == ECANCELED &&
		   request(fd, M1PMU_EL0, &on) == ECANCELED &&
		   request(fd, M1PMU_PROGRAM, &stop) == 0,
	   "nothing can be started; stopping is no error");
	request(fd, M1PMU_RELEASE, NULL);
	ok(!request(fd, M1PMU_ACQUIRE, NULL) && !request(fd, M1PMU_PROGRAM, &program),
	   "released and acquired again it is well");
	close(fd);
}

/** As a process with this one capability: what M1PMU_EL0 answers. */
static int el0_with(int capability)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
		struct __user_cap_data_struct data[2] = { { 0, 0, 0 }, { 0, 0, 0 } };
		__u32 on = 1;
		int fd;

		for (int cap = CAP_PERFMON;; cap = capability) {
			data[cap / 32].effective |= 1U << cap % 32;
			data[cap / 32].permitted |= 1U << cap % 32;
			if (cap == capability)
				break;
		}
		chmod(M1PMU_DEVICE, 0666);
		if (syscall(SYS_capset, &header, data))
			_exit(255);
		fd = device_open();
		request(fd, M1PMU_ACQUIRE, NULL);
		_exit(request(fd, M1PMU_EL0, &on));
	}
	waitpid(child, &status, 0);
	chmod(M1PMU_DEVICE, 0600);
	return WEXITSTATUS(status);
}

static void test_log_is_limited(void)
{
	int fd = device_open(), before;

	request(fd, M1PMU_ACQUIRE, NULL);
	before = kernel_lines("opened the PMU registers");
	for (__u32 i = 0; i < 200; i++) {
		__u32 on = !(i % 2);

		request(fd, M1PMU_EL0, &on);
	}
	ok(kernel_lines("opened the PMU registers") - before < 100,
	   "the kernel log is not flooded by who opens and closes them");
	close(fd);
}

int main(void)
{
	struct m1pmu_program program = legal_program();
	struct m1pmu_info info;
	__u32 on = 1;
	int fd;

	for (int cpu = 0; cpu < N_CPUS; cpu++)
		emulate("reg %d PMCR0 0", cpu);
	fd = device_open();
	request(fd, M1PMU_ACQUIRE, NULL);
	request(fd, M1PMU_PROGRAM, &program);
	ok(n_with(SIGILL) == N_CPUS, "a session alone does not open it: SIGILL on all cores");
	request(fd, M1PMU_RELEASE, NULL);
	ok(el0_with(CAP_PERFMON) == EPERM, "CAP_PERFMON does not open it: EPERM");
	ok(kernel_said("needs CAP_SYS_RAWIO"), "and the kernel log says what does");
	ok(el0_with(CAP_SYS_RAWIO) == 0, "CAP_PERFMON and CAP_SYS_RAWIO do");
	request(fd, M1PMU_ACQUIRE, NULL);
	request(fd, M1PMU_PROGRAM, &program);
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
	test_misuse("interrupt mode FIQ at EL0", 5, "0x3400004ff", false);
	test_misuse("interrupt of PMC0", 2, "0x3400010ff", false);
	test_misuse("interrupt of PMC9", 0, "0x2003400000ff", true);
	test_log_is_limited();
	return finish();
}
