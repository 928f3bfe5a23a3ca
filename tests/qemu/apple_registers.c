/* The machine code that reads Apple's registers, executed: every MRS traps here, is decoded, and is
 * answered from a register file of our own. arm64, under qemu-user; run by tests/e2e/qemu_user.sh. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "pmu/apple/regs.h"

#define ISB UINT32_C(0xd5033fdf)

/* Written down once more, from AsahiLinux docs "ARM System Registers": not made from our table. */
static const struct expected {
	const char *name; /* the generic name */
	uint32_t system;  /* op0:op1:CRn:CRm:op2, two digits each */
} expected[] = {
	{ "PMCR0", 301150000 },  { "PMCR1", 301150100 }, { "PMESR0", 301150500 },
	{ "PMESR1", 301150600 }, { "PMC0", 302150000 },  { "PMC1", 302150100 },
	{ "PMC2", 302150200 },   { "PMC3", 302150300 },  { "PMC4", 302150400 },
	{ "PMC5", 302150500 },   { "PMC6", 302150600 },  { "PMC7", 302150700 },
	{ "PMC8", 302150900 },   { "PMC9", 302151000 },
};

static struct trap {
	const uint32_t *pc;
	uint32_t system;
	uint64_t answer;
} trap[64];

static volatile unsigned n_traps;
static unsigned n_tests;

static uint32_t field(uint32_t word, unsigned low, unsigned bits)
{
	return word >> low & ((UINT32_C(1) << bits) - 1);
}

/* MRS <Xt>, S<op0>_<op1>_<Cn>_<Cm>_<op2>: Arm ARM, "System instructions". @return 0: another */
static uint32_t system_of(uint32_t word)
{
	if (word >> 20 != 0xd53)
		return 0;
	return (2 + field(word, 19, 1)) * 100000000 + field(word, 16, 3) * 1000000 +
	       field(word, 12, 4) * 10000 + field(word, 8, 4) * 100 + field(word, 5, 3);
}

/* Answers are as wide as a register, and no two alike. */
static void answer(int number, siginfo_t *info, void *context)
{
	mcontext_t *machine = &((ucontext_t *)context)->uc_mcontext;
	struct trap *its = &trap[n_traps % 64];

	(void)number;
	(void)info;
	its->pc = (const uint32_t *)machine->pc;
	its->system = system_of(*its->pc);
	its->answer = UINT64_C(0xfedc000000000000) + n_traps;
	if (field(*its->pc, 0, 5) != 31)
		machine->regs[field(*its->pc, 0, 5)] = its->answer;
	machine->pc += 4;
	n_traps++;
}

static void catch_with(void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };

	sigaction(SIGILL, &action, NULL);
}

static void check(int holds, const char *what, const char *name)
{
	printf("%sok %u - %s%s\n", holds ? "" : "not ", ++n_tests, name, what);
}

static void check_register(unsigned i, const struct trap *its, uint64_t value)
{
	check(its->system == expected[i].system &&
		      strcmp(apple_encoding[i].name, expected[i].name) == 0,
	      " is read by its own encoding", expected[i].name);
	check(value == its->answer, " arrives whole and in its place", expected[i].name);
}

static int has_barrier(const uint32_t *from, const uint32_t *to)
{
	while (from < to && *from != ISB)
		from++;
	return from < to;
}

/* A read that another instruction traps on counts too: its system is 0 and fails. */
static void check_read(const char *what, bool (*read)(uint64_t *), unsigned first, unsigned n)
{
	uint64_t value[N_APPLE_REGISTERS] = { 0 };

	n_traps = 0;
	read(value);
	check(n_traps == n, ": each register is read once", what);
	for (unsigned i = 0; i < n; i++)
		check_register(first + i, &trap[i], value[i]);
	check(has_barrier(trap[0].pc - 8, trap[0].pc), ": an ISB before", what);
	check(has_barrier(trap[n - 1].pc, trap[n - 1].pc + 8), ": an ISB after", what);
}

/* As the program's core threads are: all signals are blocked. */
static void *read_in_thread(void *lost)
{
	uint64_t value[N_APPLE_REGISTERS] = { 0 };

	*(int *)lost = !apple_el0_counters(value) && !apple_el0_counters(value);
	return NULL;
}

static void check_thread(void)
{
	pthread_t thread;
	sigset_t all;
	int lost = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	pthread_create(&thread, NULL, read_in_thread, &lost);
	pthread_sigmask(SIG_UNBLOCK, &all, NULL);
	pthread_join(thread, NULL);
	check(lost, "a thread that blocks signals lives too", "");
}

/* Without EL0 access: every read traps and none of them kills. */
static void check_guard(void)
{
	uint64_t value[N_APPLE_REGISTERS] = { 0 };

	check(apple_el0_begin(NULL) == 0, "SIGILL is taken over", "");
	check(!apple_el0_counters(value), "counters that EL0 may not read are lost", "");
	check(!apple_el0_controls(value), "controls that EL0 may not read are lost", "");
	check_thread();
	apple_el0_begin(NULL); /* as doctor does beside a backend */
	apple_el0_end();
	check(!apple_el0_counters(value), "still caught for the first when a second user ended",
	      "");
	n_traps = 0;
	__asm__ volatile("udf #0");
	check(n_traps == 1, "a SIGILL of another's goes to its owner", "");
	apple_el0_end();
	n_traps = 0;
	apple_el0_counters(value);
	check(n_traps == N_APPLE_COUNTERS, "SIGILL is given back", "");
}

static void undefined(void)
{
	__asm__ volatile("udf #0");
}

static void sent(void)
{
	raise(SIGILL);
}

/* Where nobody had SIGILL, what is not a read of ours kills as ever. */
static void check_deadly(const char *name, void (*die)(void))
{
	const struct rlimit no_core_file = { 0, 0 };
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		setrlimit(RLIMIT_CORE, &no_core_file);
		signal(SIGILL, SIG_DFL);
		apple_el0_begin(NULL);
		die();
		_exit(0);
	}
	waitpid(child, &status, 0);
	check(WIFSIGNALED(status) && WTERMSIG(status) == SIGILL, " kills", name);
}

int main(void)
{
	catch_with(answer);
	check_read("controls", apple_el0_controls, 0, N_APPLE_CONTROLS);
	check_read("counters", apple_el0_counters, N_APPLE_CONTROLS, N_APPLE_COUNTERS);
	check_guard();
	fflush(stdout);
	check_deadly("an undefined instruction", undefined);
	check_deadly("SIGILL that somebody sends", sent);
	printf("1..%u\n", n_tests);
	return 0;
}
