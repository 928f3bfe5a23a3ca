#include "backend/sim/run.h"

#include "backend/sim/hidden.h"
#include "backend/sim/effect.h"

/* what a number is drawn for, by run and kind of noise */
enum run_draw { DRAW_SURPLUS = 2000, DRAW_SPREAD, DRAW_JITTER, DRAW_INTERRUPT, DRAW_EXTRA };

/* Runs that an interrupt falls into, and those among them of which nobody tells: as one that the
 * hypervisor or the firmware takes. */
enum { INTERRUPTED_PERMILLE = 30, UNTOLD_PERMILLE = 5 };

/* Such a run takes longer by a third, at least by so many cycles. */
static const double held_up_share = 0.33, held_up_cycles = 40000;

enum interrupt { NO_INTERRUPT, TOLD, UNTOLD };

static uint64_t draw(const struct sim_run *run, enum run_draw what, uint64_t id)
{
	return sim_hash(run->seed, run->number, what, id);
}

/* 0 … 1 */
static double share(const struct sim_run *run, enum run_draw what, uint64_t id)
{
	return (double)(draw(run, what, id) >> 11) / (double)(UINT64_C(1) << 53);
}

static enum interrupt interrupt_of(const struct sim_run *run)
{
	uint64_t drawn = draw(run, DRAW_INTERRUPT, 0) % 1000;

	if (drawn >= INTERRUPTED_PERMILLE)
		return NO_INTERRUPT;
	return drawn < UNTOLD_PERMILLE ? UNTOLD : TOLD;
}

static struct sim_effect effect_of(const struct sim_run *run, uint64_t id)
{
	if (run->is_hidden)
		return sim_hidden_effect(run->seed, run->type, id, run->workload->kernel);
	return sim_known_effect(id, run->workload->kernel);
}

/* The work itself, at user level. */
static double count_work(const struct sim_run *run, const struct sim_effect *effect)
{
	uint64_t id = effect->noise_of;
	double n = run->workload->n;
	double counts = effect->once + effect->per_unit * n;

	if (run->workload->is_trigger)
		counts += effect->per_trigger * n *
			  (1 + effect->surplus * share(run, DRAW_SURPLUS, id));
	counts *= 1 + effect->spread * (2 * share(run, DRAW_SPREAD, id) - 1);
	return counts + effect->jitter * share(run, DRAW_JITTER, id);
}

/* What an interrupt adds at each level: it does work, and leaves the caches to be filled again. */
static double count_extra(const struct sim_run *run, const struct sim_effect *effect)
{
	return effect->interrupted * share(run, DRAW_EXTRA, effect->noise_of);
}

uint64_t sim_run_count(const struct sim_run *run, uint64_t id, enum privilege privilege)
{
	const struct sim_effect effect = effect_of(run, id);
	enum interrupt interrupt = interrupt_of(run);
	double user = count_work(run, &effect), kernel = 0;

	if (interrupt) {
		kernel = count_extra(run, &effect);
		user += kernel;
	}
	if (interrupt == UNTOLD && effect.is_time)
		user += held_up_share * user + held_up_cycles;
	return (privilege != PRIVILEGE_KERNEL ? (uint64_t)user : 0) +
	       (privilege != PRIVILEGE_USER ? (uint64_t)kernel : 0);
}

double sim_run_mean(const struct sim_run *run, uint64_t id)
{
	const struct sim_effect effect = effect_of(run, id);
	double n = run->workload->n;
	double counts = effect.once + effect.per_unit * n + effect.jitter / 2;

	if (run->workload->is_trigger)
		counts += effect.per_trigger * n * (1 + effect.surplus / 2);
	return counts;
}

unsigned sim_run_interrupts(const struct sim_run *run)
{
	return interrupt_of(run) == TOLD ? 1 : 0;
}
