/* who and what the module refuses */
#include <sys/prctl.h>
#include <sys/stat.h>

#include "m1pmu.h"
#include "tap.h"

static void test_second_user(void)
{
	struct m1pmu_program program = legal_program();
	struct m1pmu_info info;
	struct m1pmu_read read;
	struct m1pmu_regs regs;
	__u32 on = 1;
	int owner = device_open(), other = device_open();
	char text[64];

	request(owner, M1PMU_ACQUIRE, NULL);
	ok(request(owner, M1PMU_ACQUIRE, NULL) == 0, "the owner may acquire again");
	ok(request(other, M1PMU_ACQUIRE, NULL) == EBUSY, "a second owner: EBUSY");
	request(other, M1PMU_INFO, &info);
	ok(info.flags == (M1PMU_APPLE | M1PMU_OWNED | M1PMU_NO_EL3) && info.owner_pid == getpid(),
	   "who may ask for the owner's process (%d)", info.owner_pid);
	snprintf(text, sizeof text, "the PMU is in use by process %d", getpid());
	ok(kernel_said(text), "and the kernel log names it");
	program.cpu = M1PMU_THIS_CPU;
	ok(request(other, M1PMU_PROGRAM, &program) == EACCES &&
		   request(other, M1PMU_READ, &read) == EACCES &&
		   request(other, M1PMU_REGS, &regs) == EACCES &&
		   request(other, M1PMU_EL0, &on) == EACCES &&
		   request(other, M1PMU_L2C, &on) == EACCES &&
		   request(other, M1PMU_RELEASE, NULL) == EACCES,
	   "programming, reading, everything else: EACCES");
	program.cpu = M1PMU_ALL_CPUS;
	ok(request(other, M1PMU_PROGRAM, &program) == EACCES, "all CPUs too");
	close(owner);
	ok(request(other, M1PMU_ACQUIRE, NULL) == 0, "when the owner has gone it is free");
	ok(request(other, M1PMU_RELEASE, NULL) == 0 && request(other, M1PMU_READ, &read) == EACCES,
	   "and free again when released");
	close(other);
}

/** What open() gives to an ordinary user whose process has this name. */
static int open_as_user(const char *name)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		prctl(PR_SET_NAME, name);
		setgid(1000);
		setuid(1000);
		_exit(device_open() < 0 ? errno : 0);
	}
	waitpid(child, &status, 0);
	return WEXITSTATUS(status);
}

static void test_no_capability(void)
{
	ok(open_as_user("user") == EACCES, "another user: the device is root's");
	chmod(M1PMU_DEVICE, 0666);
	ok(open_as_user("\033[31mred\nred") == EPERM, "without the capability: EPERM");
	chmod(M1PMU_DEVICE, 0600);
	ok(kernel_said("needs CAP_PERFMON or CAP_SYS_ADMIN"), "and the kernel log says which");
	/* /dev/kmsg writes a backslash as \x5c, and an escape character would be \x1b */
	ok(kernel_said("m1pmu: \\x5ce[31mred\\x5cnred (process "),
	   "with odd bytes of a name escaped");
}

/** The kernel has this for modules. */
static bool is_exported(const char *symbol)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	char line[256], wanted[64];
	bool found = false;

	snprintf(wanted, sizeof wanted, " __ksymtab_%s\n", symbol);
	while (!found && fgets(line, sizeof line, file))
		found = strstr(line, wanted);
	fclose(file);
	return found;
}

static void test_security_module(void)
{
	bool can_ask = is_exported("perf_allow_kernel");
	int fd;

	emulate("lsm 1");
	fd = device_open();
	ok(can_ask ? fd < 0 && errno == EACCES : fd >= 0,
	   "a security module that refuses perf refuses the device: %s",
	   can_ask ? "EACCES" : "not asked, this kernel lets no module ask");
	emulate("lsm 0");
	close(fd);
	ok(!can_ask || kernel_said("a security module refuses"), "and the kernel log says so");
	fd = device_open();
	ok(fd >= 0, "and not when it does not");
	close(fd);
}

static const struct {
	const char *what;
	int counter; /* that is changed and refused; -1: the request itself */
	__u16 event;
	__u8 filter;
	__u32 cpu, flags, enable;
	int error;
} programs[] = {
	{ "0x8d on PMC8", 8, 0x8d, 3, M1PMU_ALL_CPUS, 0, 0x3ff, EINVAL },
	{ "0x97 on PMC6", 6, 0x97, 3, M1PMU_ALL_CPUS, 0, 0x3ff, EINVAL },
	{ "0xf5 on PMC3", 3, 0xf5, 3, M1PMU_ALL_CPUS, 0, 0x3ff, EINVAL },
	{ "an unknown id", 2, 0xff, 3, M1PMU_ALL_CPUS, 0, 0x3ff, EINVAL },
	{ "an unknown id, forced", 2, 0xff, 3, M1PMU_ALL_CPUS, M1PMU_FORCE, 0x3ff, 0 },
	{ "0x8d on PMC8, forced", 8, 0x8d, 3, M1PMU_ALL_CPUS, M1PMU_FORCE, 0x3ff, 0 },
	{ "an id of nine bits", 4, 0x1db, 3, M1PMU_ALL_CPUS, 0, 0x3ff, ERANGE },
	{ "an id of nine bits, forced", 4, 0x1db, 3, M1PMU_ALL_CPUS, M1PMU_FORCE, 0x3ff, ERANGE },
	{ "0xf5 on PMC4", 4, 0xf5, 3, M1PMU_ALL_CPUS, 0, 0x3ff, 0 },
	{ "an event on the fixed PMC1", 1, 0x8c, 3, M1PMU_ALL_CPUS, 0, 0x3ff, EINVAL },
	{ "a filter of no meaning", 9, 0x54, 4, M1PMU_ALL_CPUS, 0, 0x3ff, EINVAL },
	{ "nothing to count in", 9, 0x54, 0, M1PMU_ALL_CPUS, 0, 0x3ff, EINVAL },
	{ "nothing to count in, not enabled", 9, 0x54, 0, M1PMU_ALL_CPUS, 0, 0x1ff, 0 },
	{ "a flag of no meaning", -1, 0, 0, M1PMU_ALL_CPUS, 2, 0x3ff, EINVAL },
	{ "an eleventh counter", -1, 0, 0, M1PMU_ALL_CPUS, 0, 0x7ff, EINVAL },
	{ "a CPU that is not possible", -1, 0, 0, N_CPUS, 0, 0x3ff, EINVAL },
};

static void test_programs(void)
{
	int fd = device_open();
	char buf[1024];

	request(fd, M1PMU_ACQUIRE, NULL);
	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
		struct m1pmu_program program = legal_program();
		int counter = programs[i].counter, error;

		program.cpu = programs[i].cpu;
		program.flags = programs[i].flags;
		program.enable = programs[i].enable;
		if (counter >= 0) {
			program.event[counter] = programs[i].event;
			program.filter[counter] = programs[i].filter;
		}
		emulate("clearlog");
		error = request(fd, M1PMU_PROGRAM, &program);
		ok(error == programs[i].error && program.counter == (error ? counter : -1) &&
			   !*writes(0, buf, sizeof buf) == !!error,
		   "%s: %s, counter %d", programs[i].what, error ? strerror(error) : "taken",
		   program.counter);
	}
	close(fd);
}

static void test_rest(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct m1pmu_amu amu;
	__u32 two = 2;
	int fd = device_open();
	void *map;

	request(fd, M1PMU_ACQUIRE, NULL);
	ok(mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED &&
		   errno == EPERM,
	   "the generation page cannot be mapped to be written");
	map = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, 0);
	ok(mprotect(map, page, PROT_READ | PROT_WRITE) && errno == EACCES, "nor made so later");
	ok(mmap(NULL, page, PROT_READ, MAP_SHARED, fd, (off_t)(16 * page)) == MAP_FAILED,
	   "nor what is behind it");
	ok(request(fd, M1PMU_EL0, &two) == EINVAL && request(fd, M1PMU_L2C, &two) == EINVAL,
	   "switches are 0 or 1");
	ok(request(fd, M1PMU_AMU_READ, &amu) == EOPNOTSUPP, "no activity monitors without amu=1");
	ok(request(fd, _IO(M1PMU_IOC, 77), NULL) == ENOTTY, "an unknown request: ENOTTY");
	ok(request(fd, M1PMU_READ, NULL) == EFAULT && request(fd, M1PMU_PROGRAM, NULL) == EFAULT &&
		   request(fd, M1PMU_INFO, (void *)8) == EFAULT,
	   "a bad address: EFAULT");
	close(fd);
	munmap(map, page);
}

int main(void)
{
	test_second_user();
	test_no_capability();
	test_security_module();
	test_programs();
	test_rest();
	return finish();
}
