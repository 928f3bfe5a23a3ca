/* a session of the module: every register write, and every register back afterwards */
#include "m1pmu.h"
#include "tap.h"

/* What is found: all that must be stopped is on in PMCR0, and bit 31, which is nobody's business. */
#define FOUND_PMCR0      "0x80501403"
#define STOPPED          "PMCR0=0x80000000"
#define PROGRAMMED_PMCR0 "0x3800000ff"
#define PROGRAMMED                                                            \
	STOPPED " PMESR0=0x8d52a1a0 PMESR1=0x5453978e PMCR1=0x1030000ffff00 " \
		"PMCR0=" PROGRAMMED_PMCR0

static char before[16384], after[16384], buf[16384];

static bool same(const char *found, const char *wanted)
{
	if (!strcmp(found, wanted))
		return true;
	printf("# found  %s\n# wanted %s\n", found, wanted);
	return false;
}

static void set_scene(void)
{
	emulate("freeze 1");
	for (int cpu = 0; cpu < N_CPUS; cpu++) {
		emulate("reg %d PMCR0 " FOUND_PMCR0, cpu);
		emulate("reg %d PMCR1 0x%x", cpu, 0x1100 + cpu);
		emulate("reg %d PMESR0 0x%x", cpu, 0x11223340 + cpu);
		emulate("reg %d PMESR1 0x%x", cpu, 0x55667780 + cpu);
		for (int i = 0; i < 10; i++)
			emulate("pmc %d %d %d", cpu, i, 1000 * cpu + i);
	}
	registers(before, sizeof before);
}

static bool restored(void)
{
	return same(registers(after, sizeof after), before);
}

/** Every CPU's writes since clearlog are these. */
static bool all_wrote(const char *wanted)
{
	for (int cpu = 0; cpu < N_CPUS; cpu++)
		if (!same(writes(cpu, buf, sizeof buf), wanted))
			return false;
	return true;
}

static int open_session(void)
{
	struct m1pmu_program program = legal_program();
	int fd = device_open();

	if (request(fd, M1PMU_ACQUIRE, NULL) || request(fd, M1PMU_PROGRAM, &program))
		printf("# no session: %s\n", strerror(errno));
	return fd;
}

static struct m1pmu_read read_on(int fd, int cpu)
{
	struct m1pmu_read read = { .cpu = 99 };

	pin_to(cpu);
	if (request(fd, M1PMU_READ, &read))
		printf("# read on CPU %d: %s\n", cpu, strerror(errno));
	return read;
}

static void test_info(void)
{
	struct m1pmu_info info;
	struct m1pmu_cpu cpu = { .cpu = 5 };
	int fd = device_open();

	request(fd, M1PMU_INFO, &info);
	ok(info.abi == M1PMU_ABI && info.flags == (M1PMU_APPLE | M1PMU_NO_EL3) &&
		   info.n_cpus == N_CPUS && info.n_counters == 10 && info.owner_pid == 0 &&
		   info.l2c_bit == 23,
	   "info: flags %#x, %u CPUs", info.flags, info.n_cpus);
	request(fd, M1PMU_CPU, &cpu);
	ok(cpu.midr == 0x611f0230 && cpu.type == 'P' && cpu.width == 48 && cpu.event_bits == 8 &&
		   !strcmp(cpu.family, "M1") && cpu.flags == (M1PMU_CPU_ONLINE | M1PMU_CPU_MASKS),
	   "a core: MIDR %#llx, type %c, %u bits, %s", (unsigned long long)cpu.midr, cpu.type,
	   cpu.width, cpu.family);
	cpu.cpu = N_CPUS;
	ok(request(fd, M1PMU_CPU, &cpu) == EINVAL, "no CPU 8");
	close(fd);
	ok(restored(), "looking changes nothing");
}

static void test_writes(void)
{
	struct m1pmu_program program = legal_program();
	int fd = device_open();

	emulate("clearlog");
	request(fd, M1PMU_ACQUIRE, NULL);
	ok(all_wrote(STOPPED " " STOPPED " PMESR0=0x0 PMESR1=0x0 PMCR1=0x0 " STOPPED),
	   "acquiring stops all counters, interrupts too, and touches no counter");
	emulate("clearlog");
	ok(!request(fd, M1PMU_PROGRAM, &program) && all_wrote(PROGRAMMED),
	   "programming: stop, both PMESR, PMCR1, start; PMC6-9 through PMESR1");
	emulate("clearlog");
	program.cpu = M1PMU_THIS_CPU;
	program.enable = 0;
	pin_to(3);
	ok(!request(fd, M1PMU_PROGRAM, &program) && !*writes(2, buf, sizeof buf) &&
		   strstr(writes(3, buf, sizeof buf), "PMCR1=0x1030000ffff00 " STOPPED),
	   "this CPU alone: stopped");
	emulate("clearlog");
	program = legal_program();
	program.cpu = 7;
	ok(!request(fd, M1PMU_PROGRAM, &program) && !*writes(3, buf, sizeof buf) &&
		   same(writes(7, buf, sizeof buf), PROGRAMMED),
	   "another CPU alone");
	emulate("clearlog");
	close(fd);
	ok(same(writes(5, buf, sizeof buf),
		STOPPED " PMC0=0x1388 PMC1=0x1389 PMC2=0x138a PMC3=0x138b PMC4=0x138c PMC5=0x138d "
			"PMC6=0x138e PMC7=0x138f PMC8=0x1390 PMC9=0x1391 PMESR0=0x11223345 "
			"PMESR1=0x55667785 PMCR1=0x1105 PMCR0=" FOUND_PMCR0),
	   "closing puts back what was there, PMCR0 last");
	ok(restored(), "before = after");
}

static void test_modes(void)
{
	__u32 on = 1, off = 0;
	int fd = open_session();

	emulate("clearlog");
	request(fd, M1PMU_L2C, &on);
	ok(strstr(writes(4, buf, sizeof buf), "PMCR0=0x3808000ff") != NULL,
	   "cluster-wide L2C events: bit 23");
	request(fd, M1PMU_EL0, &on);
	ok(strstr(writes(4, buf, sizeof buf), "PMCR0=0x3c08000ff") != NULL, "EL0 access: bit 30");
	emulate("clearlog");
	request(fd, M1PMU_L2C, &off);
	request(fd, M1PMU_EL0, &off);
	ok(strstr(writes(4, buf, sizeof buf), "PMCR0=" PROGRAMMED_PMCR0) != NULL, "and off again");
	close(fd);
	ok(restored(), "before = after");
}

static void test_values(void)
{
	const uint64_t top = (1ull << 48) - 1;
	struct m1pmu_read read, later;
	int fd = open_session(), n_exact = 0;

	for (int cpu = 0; cpu < N_CPUS; cpu++) {
		for (int i = 0; i < 10; i++)
			emulate("pmc %d %d %" PRIu64, cpu, i, top - (uint64_t)(100 * cpu + i));
		read = read_on(fd, cpu);
		for (int i = 0; i < 10; i++)
			n_exact += read.pmc[i] == top - (uint64_t)(100 * cpu + i);
		n_exact += read.cpu == (__u32)cpu && read.flags == 0;
	}
	ok(n_exact == 88, "frozen values near 2^48 read back exactly on all cores (%d of 88)",
	   n_exact);
	read = read_on(fd, 5);
	emulate("freeze 0");
	for (double end = now_s() + 0.05; now_s() < end;)
		;
	emulate("freeze 1");
	later = read_on(fd, 5);
	ok(later.pmc[0] < read.pmc[0] &&
		   ((later.pmc[0] - read.pmc[0]) & top) > 50000 * 3204ull / 2 &&
		   ((later.pmc[0] - read.pmc[0]) & top) <
			   (later.time_ns - read.time_ns) / 1000 * 3300,
	   "across the wrap: %" PRIu64 " cycles in %" PRIu64 " us",
	   (uint64_t)((later.pmc[0] - read.pmc[0]) & top),
	   (uint64_t)((later.time_ns - read.time_ns) / 1000));
	close(fd);
	ok(restored(), "before = after");
}

static void test_foreign(void)
{
	struct m1pmu_program program = legal_program();
	struct m1pmu_regs regs;
	struct m1pmu_read read, changed;
	int fd = open_session();

	read = read_on(fd, 2);
	request(fd, M1PMU_REGS, &regs);
	ok(regs.cpu == 2 && !memcmp(&regs.now, &regs.written, sizeof regs.now) &&
		   regs.now.pmesr1 == 0x5453978e && regs.now.pmcr0 == 0x3800000ff,
	   "registers read back as written");
	emulate("reg 2 PMESR1 0x1");
	request(fd, M1PMU_REGS, &regs);
	ok(regs.now.pmesr1 == 1 && regs.written.pmesr1 == 0x5453978e, "a foreign write shows");
	emulate("reset 2");
	changed = read_on(fd, 2);
	ok(changed.flags == M1PMU_CHANGED && changed.generation == read.generation + 1 &&
		   changed.idle == read.idle,
	   "state lost unannounced: the next reading says so");
	program.cpu = M1PMU_THIS_CPU;
	request(fd, M1PMU_PROGRAM, &program);
	ok(read_on(fd, 2).flags == 0, "programmed again it is well");
	emulate("reg 2 PMCR0 0x380000aff"); /* bits 9 and 11, by somebody else in the kernel */
	ok(read_on(fd, 2).flags == M1PMU_CHANGED, "an interrupt mode of somebody else's shows");
	close(fd);
	ok(restored(), "before = after");
}

/* The hardware may say so at an overflow, though no interrupt is enabled. */
static void test_active(void)
{
	struct m1pmu_regs regs;
	int fd = open_session();

	emulate("pmc 2 5 0x800000000000");
	emulate("reg 2 PMCR0 0x3800008ff");
	emulate("clearlog");
	ok(read_on(fd, 2).flags == 0, "PMCR0 bit 11, an interrupt is active: nothing is lost");
	ok(same(writes(2, buf, sizeof buf), "PMCR0=" PROGRAMMED_PMCR0), "it is acknowledged");
	emulate("reg 2 PMCR0 0x3800008ff");
	request(fd, M1PMU_REGS, &regs);
	ok(!memcmp(&regs.now, &regs.written, sizeof regs.now),
	   "also before registers are compared");
	close(fd);
	emulate("pmc 2 5 2005");
	emulate("reg 2 PMCR0 0x80501c03");
	close(open_session());
	ok(restored(), "one that was active before: acknowledged, all else as it was");
}

static void test_idle(const struct m1pmu_gen *gens)
{
	struct m1pmu_gen old;
	struct m1pmu_read read;
	int fd = open_session(), n_exact = 0;

	old = gens[3];
	for (int i = 0; i < 10; i++)
		emulate("pmc 3 %d %d", i, 777000 + i);
	emulate("clearlog");
	emulate("sleep 3");
	read = read_on(fd, 3);
	for (int i = 0; i < 10; i++)
		n_exact += read.pmc[i] == (uint64_t)(777000 + i);
	ok(n_exact == 10 && read.flags == 0, "deep idle: counters go on where they were (%d of 10)",
	   n_exact);
	ok(strstr(writes(3, buf, sizeof buf), PROGRAMMED) != NULL, "with the same program");
	ok(gens[3].generation == old.generation + 1 && gens[3].idle == old.idle + 1 &&
		   read.generation == gens[3].generation && read.idle == gens[3].idle,
	   "the generation page says so");
	old = gens[3];
	emulate("nosleep 3");
	for (int i = 0; i < 10; i++)
		emulate("pmc 3 %d %d", i, 888000 + i);
	emulate("clearlog");
	emulate("wake 3");
	read = read_on(fd, 3);
	ok(read.pmc[0] == 888000 && read.pmc[9] == 888009 &&
		   !strstr(writes(3, buf, sizeof buf), "PMC0="),
	   "a sleep that was refused: the counters are left alone, then and at the next wake-up");
	old = gens[3];
	emulate("reg 3 PMESR1 0x1");
	emulate("sleep 3");
	ok(gens[3].generation == old.generation + 1 && gens[3].idle == old.idle,
	   "not as continuous when somebody had written the registers before");
	close(fd);
	ok(restored(), "before = after");
}

static void test_hotplug(const struct m1pmu_gen *gens)
{
	struct m1pmu_program program = legal_program();
	struct m1pmu_gen old;
	struct m1pmu_read read;
	int fd = open_session(), n_exact = 0;

	old = gens[6];
	for (int i = 0; i < 10; i++)
		emulate("pmc 6 %d %d", i, 66000 + i);
	emulate("clearlog");
	set_online(6, false);
	ok(strstr(writes(6, buf, sizeof buf),
		  "PMESR1=0x55667786 PMCR1=0x1106 PMCR0=" FOUND_PMCR0) != NULL,
	   "a CPU that goes off has its registers back");
	program.cpu = 6;
	ok(request(fd, M1PMU_PROGRAM, &program) == ENODEV, "it cannot be programmed");
	emulate("clearlog");
	set_online(6, true);
	ok(strstr(writes(6, buf, sizeof buf), PROGRAMMED) != NULL,
	   "when it returns it is programmed");
	read = read_on(fd, 6);
	for (int i = 0; i < 10; i++)
		n_exact += read.pmc[i] == (uint64_t)(66000 + i);
	ok(n_exact == 10, "with its counts (%d of 10)", n_exact);
	ok(gens[6].generation > old.generation && gens[6].idle == old.idle &&
		   read.generation == gens[6].generation,
	   "the generation page says so");
	close(fd);
	ok(restored(), "before = after");
}

/* Off when the session begins, on during it; and off when it ends. */
static void test_offline_ends(void)
{
	int fd;

	set_online(7, false);
	fd = open_session();
	emulate("clearlog");
	set_online(7, true);
	ok(strstr(writes(7, buf, sizeof buf),
		  "PMCR0=0x0 PMESR0=0x8d52a1a0 PMESR1=0x5453978e PMCR1=0x1030000ffff00 "
		  "PMCR0=0x3000000ff") != NULL,
	   "a CPU that comes later gets the program of all");
	close(fd);
	fd = open_session();
	set_online(7, false);
	close(fd);
	set_online(7, true);
	ok(strstr(registers(after, sizeof after), "cpu7 PMCR0=0x0 PMCR1=0x0 ") != NULL,
	   "one that returns after the session is left alone");
}

static void test_kill(void)
{
	__u32 on = 1;
	pid_t child = fork();
	int status;

	if (child == 0) {
		int fd = open_session();

		request(fd, M1PMU_EL0, &on);
		raise(SIGKILL);
	}
	waitpid(child, &status, 0);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "a session is killed with EL0 open");
	ok(restored(), "before = after");
	ok(kernel_said("closed to user space again"), "the kernel log says that EL0 is closed");
}

int main(void)
{
	int fd = device_open();
	const struct m1pmu_gen *gens;

	gens = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	ok(gens != MAP_FAILED, "the generation page maps");
	set_scene();
	test_info();
	test_writes();
	test_modes();
	test_values();
	test_foreign();
	test_active();
	test_idle(gens);
	test_kill();
	test_hotplug(gens);
	test_offline_ends();
	emulate("freeze 0");
	return finish();
}
