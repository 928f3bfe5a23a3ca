/* This file depends on no other, so that the test of its machine code links nothing else. */
#include "pmu/apple/regs.h"
#include "pmu/backend.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <ucontext.h>

#define ENCODING(name, op0, op1, crn, crm, op2) { #name, op0, op1, crn, crm, op2 },

const struct apple_encoding apple_encoding[N_APPLE_REGISTERS] = { APPLE_CONTROLS(
	ENCODING) APPLE_COUNTERS(ENCODING) };

#ifdef __aarch64__

/* Generic register name; assemblers do not know Apple's names. */
#define READ(name, op0, op1, crn, crm, op2)                                     \
	__asm__ volatile("mrs %0, S" #op0 "_" #op1 "_C" #crn "_C" #crm "_" #op2 \
			 : "=r"(*ret)                                           \
			 :                                                      \
			 : "memory");                                           \
	ret++;

#define BARRIER() __asm__ volatile("isb" : : : "memory")

enum { INSTRUCTION_BYTES = 4 };

/* State of a read on this thread; the signal handler runs on the same thread. */
static _Thread_local volatile sig_atomic_t is_reading, has_trapped;
static _Thread_local bool is_ready;

static struct sigaction before;
static unsigned n_users; /* begins without an end: doctor beside a backend */

/* Pass a foreign signal to the previous handler. A raised signal is delivered after this handler returns. */
static void pass_on(int number, siginfo_t *info, void *context)
{
	const struct sigaction deadly = { .sa_handler = SIG_DFL };

	if (before.sa_flags & SA_SIGINFO)
		before.sa_sigaction(number, info, context);
	else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
		before.sa_handler(number);
	else if (!sigaction(SIGILL, &deadly, NULL))
		raise(number);
}

/* Skip an MRS that traps because EL0 access is off on this CPU; the register keeps its value. A
 * signal sent by a process (code not positive) has no instruction to skip. */
static void on_sigill(int number, siginfo_t *info, void *context)
{
	if (!is_reading || info->si_code <= 0) {
		pass_on(number, info, context);
		return;
	}
	has_trapped = 1;
	((ucontext_t *)context)->uc_mcontext.pc += INSTRUCTION_BYTES;
}

int apple_el0_begin(struct err *err)
{
	struct sigaction action = { .sa_sigaction = on_sigill, .sa_flags = SA_SIGINFO };

	sigemptyset(&action.sa_mask);
	if (!n_users && sigaction(SIGILL, &action, &before))
		return err_set(err, errno, "SIGILL cannot be caught");
	n_users++;
	return 0;
}

void apple_el0_end(void)
{
	if (!--n_users)
		sigaction(SIGILL, &before, NULL);
}

/* Unblock SIGILL, as a thread that blocks it is killed. Once per thread: reads make no system call. */
static void make_ready(void)
{
	sigset_t sigill;

	sigemptyset(&sigill);
	sigaddset(&sigill, SIGILL);
	pthread_sigmask(SIG_UNBLOCK, &sigill, NULL);
	is_ready = true;
}

static void begin_read(void)
{
	if (!is_ready)
		make_ready();
	has_trapped = 0;
	is_reading = 1;
}

static bool end_read(void)
{
	is_reading = 0;
	return !has_trapped;
}

bool apple_el0_counters(uint64_t *ret)
{
	begin_read();
	BARRIER();
	APPLE_COUNTERS(READ)
	BARRIER();
	return end_read();
}

bool apple_el0_controls(uint64_t *ret)
{
	begin_read();
	BARRIER();
	APPLE_CONTROLS(READ)
	BARRIER();
	return end_read();
}

#else

int apple_el0_begin(struct err *err)
{
	return err_set(err, EOPNOTSUPP,
		       "apple:el0 reads registers that only Apple processors have: this m1top was "
		       "compiled for another one");
}

void apple_el0_end(void)
{
}

bool apple_el0_counters(uint64_t *ret)
{
	(void)ret;
	return false;
}

bool apple_el0_controls(uint64_t *ret)
{
	(void)ret;
	return false;
}

#endif

int apple_el0_cpus(const struct machine *machine, struct cpus *ret)
{
	struct cpus affinity;
	uint64_t counter[N_APPLE_COUNTERS];
	int rc = apple_el0_begin(NULL);

	if (rc)
		return rc;
	if (cpus_get_affinity(&affinity) == 0) {
		for (unsigned i = 0; i < machine->n_cores; i++)
			if (cpus_pin(machine->core[i].cpu) == 0 && apple_el0_counters(counter))
				cpus_add(ret, machine->core[i].cpu);
		cpus_set_affinity(&affinity);
	}
	apple_el0_end();
	return 0;
}
