#include "pmu/machine.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/text.h"

enum { WORD_MAX = 96 };

static int by_cpu(const void *a, const void *b)
{
	return (int)((const struct core *)a)->cpu - (int)((const struct core *)b)->cpu;
}

int machine_core_of_cpu(const struct machine *machine, unsigned cpu)
{
	const struct core wanted = { .cpu = cpu }, *core = NULL;

	if (machine->n_cores)
		core = bsearch(&wanted, machine->core, machine->n_cores, sizeof(wanted), by_cpu);
	return core ? (int)(core - machine->core) : -1;
}

struct cpus machine_cpus(const struct machine *machine)
{
	struct cpus cpus = { { 0 } };

	for (unsigned i = 0; i < machine->n_cores; i++)
		cpus_add(&cpus, machine->core[i].cpu);
	return cpus;
}

#define LEVEL(field, number, n) \
	offsetof(struct core, field), offsetof(struct core, number), offsetof(struct machine, n)

const struct level machine_level[N_LEVELS] = {
	[LEVEL_CORE] = { "core", NULL, "CPU", "cpu", LEVEL(cpu, cpu, n_cores), false },
	[LEVEL_PHYSICAL] = { "physical-core", NULL, "CPU", "core",
			     LEVEL(physical, thread0, n_physical), false },
	[LEVEL_CLUSTER] = { "cluster", "cl", "CLS", "cluster", LEVEL(cluster, cluster, n_clusters),
			    false },
	[LEVEL_LLC] = { "llc", "llc", "LLC", "cache", LEVEL(llc, llc_id, n_llcs), true },
	[LEVEL_NODE] = { "node", "N", "N", "node", LEVEL(node, node_id, n_nodes), true },
	[LEVEL_SOCKET] = { "socket", "S", "S", "socket", LEVEL(socket, package, n_sockets), true },
	[LEVEL_TYPE] = { "type", NULL, "", "core-type", LEVEL(type, type, n_types), false },
};

static unsigned *core_field(const struct core *core, size_t offset)
{
	return (unsigned *)((char *)core + offset);
}

static unsigned *level_count(const struct machine *machine, unsigned level)
{
	return (unsigned *)((char *)machine + machine_level[level].n);
}

unsigned machine_level_number(const struct machine *machine, unsigned level, unsigned core)
{
	return *core_field(&machine->core[core], machine_level[level].number);
}

unsigned machine_level_row(const struct machine *machine, unsigned level, unsigned core)
{
	return level == LEVEL_CORE ? core
				   : *core_field(&machine->core[core], machine_level[level].row);
}

unsigned machine_level_rows(const struct machine *machine, unsigned level)
{
	return *level_count(machine, level);
}

struct keyed {
	uint64_t key;
	unsigned core;
};

static int by_key(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->core < y->core ? -1 : x->core > y->core;
}

void machine_first_alike(const uint64_t *key, unsigned n_cores, unsigned *ret_first)
{
	struct keyed sorted[CORES_MAX];

	for (unsigned i = 0; i < n_cores; i++)
		sorted[i] = (struct keyed){ key[i], i };
	qsort(sorted, n_cores, sizeof(sorted[0]), by_key);
	for (unsigned i = 0; i < n_cores; i++)
		ret_first[sorted[i].core] = i && sorted[i].key == sorted[i - 1].key
						    ? ret_first[sorted[i - 1].core]
						    : sorted[i].core;
}

static uint16_t *first_of(const struct machine *machine, unsigned level, unsigned row)
{
	return level == LEVEL_TYPE ? (uint16_t *)&machine->type[row].first
				   : &machine->core[row].first[level];
}

int machine_row_next(const struct machine *machine, unsigned level, unsigned row, int after)
{
	unsigned next;

	if (level == LEVEL_CORE)
		return after < 0 ? (int)row : -1;
	next = after < 0 ? *first_of(machine, level, row) : machine->core[after].next[level];
	/* a type may have no core */
	return (after < 0 || next) && machine_level_row(machine, level, next) == row ? (int)next
										     : -1;
}

static void link_rows(struct machine *machine, unsigned level)
{
	for (unsigned i = 0; i < machine->n_cores; i++)
		*first_of(machine, level, machine_level_row(machine, level, i)) = 0;
	for (unsigned i = machine->n_cores; i-- > 0;) {
		uint16_t *first = first_of(machine, level, machine_level_row(machine, level, i));

		machine->core[i].next[level] = *first;
		*first = (uint16_t)i;
	}
}

/* Number the rows of a level in the order of their first cores; those with the kernel's numbers by
 * type, so that with one row for each they equal the types. A number that is unknown for any core
 * leaves the level without rows. */
static void number_level(struct machine *machine, unsigned level)
{
	unsigned first[CORES_MAX], row[CORES_MAX] = { 0 }, n = 0;
	bool by_type = machine_level[level].is_of_kernel, is_known = true;
	uint64_t key[CORES_MAX];

	for (unsigned i = 0; i < machine->n_cores; i++) {
		unsigned number = machine_level_number(machine, level, i);

		key[i] = (uint64_t)machine->core[i].type << 32 | number;
		is_known &= number != UINT_MAX;
	}
	machine_first_alike(key, machine->n_cores, first);
	for (unsigned type = 0; type < (by_type ? machine->n_types : 1); type++)
		for (unsigned i = 0; i < machine->n_cores; i++)
			if (!by_type || machine->core[i].type == type)
				row[i] = first[i] == i ? n++ : row[first[i]];
	*level_count(machine, level) = is_known ? n : 0;
	for (unsigned i = 0; i < machine->n_cores; i++)
		*core_field(&machine->core[i], machine_level[level].row) = is_known ? row[i] : 0;
}

static bool has_same_rows(const struct machine *machine, unsigned a, unsigned b)
{
	bool same = machine_level_rows(machine, a) == machine_level_rows(machine, b);

	for (unsigned i = 0; i < machine->n_cores && same; i++)
		same = machine_level_row(machine, a, i) == machine_level_row(machine, b, i);
	return same;
}

void machine_number(struct machine *machine)
{
	static const uint8_t preferred[] = { LEVEL_TYPE, LEVEL_SOCKET, LEVEL_CLUSTER, LEVEL_NODE };

	for (unsigned level = LEVEL_PHYSICAL; level < LEVEL_TYPE; level++)
		number_level(machine, level);
	for (unsigned level = LEVEL_PHYSICAL; level <= LEVEL_TYPE; level++)
		link_rows(machine, level);
	for (unsigned level = LEVEL_LLC; level < LEVEL_TYPE; level++) {
		machine->same_level[level] = 0;
		for (size_t i = 0; i < ARRAY_SIZE(preferred) && preferred[i] != level &&
				   !machine->same_level[level];
		     i++)
			if (has_same_rows(machine, level, preferred[i]))
				machine->same_level[level] = preferred[i];
	}
}

bool machine_has_smt(const struct machine *machine)
{
	return machine->n_physical < machine->n_cores;
}

/* @but  core to leave out; n_cores: none */
static const char *threads_but(const struct machine *machine, unsigned physical, unsigned but,
			       char *buf, size_t size)
{
	struct cpus cpus = { { 0 } };

	machine_row_each(machine, LEVEL_PHYSICAL, physical, core)
		if ((unsigned)core != but)
			cpus_add(&cpus, machine->core[core].cpu);
	return cpus_format(&cpus, buf, size);
}

const char *machine_threads(const struct machine *machine, unsigned physical, char *buf,
			    size_t size)
{
	return threads_but(machine, physical, machine->n_cores, buf, size);
}

const char *machine_siblings(const struct machine *machine, unsigned core, char *buf, size_t size)
{
	return threads_but(machine, machine->core[core].physical, core, buf, size);
}

void machine_note_cpus(struct machine *machine, const struct cpus *cpus, const char *what)
{
	size_t n = strlen(machine->cpu_notes), room = sizeof(machine->cpu_notes) - n;
	char list[128];

	if (cpus_count(cpus) &&
	    (size_t)snprintf(machine->cpu_notes + n, room, "cpu %s: %s\n",
			     cpus_format(cpus, list, sizeof(list)), what) >= room)
		machine->cpu_notes[n] = '\0';
}

bool machine_has_core_pmu(const struct machine *machine)
{
	for (unsigned t = 0; t < machine->n_types; t++)
		if (machine->type[t].pmu)
			return true;
	return false;
}

unsigned machine_first_core(const struct machine *machine, unsigned type)
{
	unsigned i = 0;

	while (i + 1 < machine->n_cores && machine->core[i].type != type)
		i++;
	return i;
}

/* Renumber used items in the old order; UINT_MAX marks unused ones. */
static unsigned renumber(const bool *used, unsigned n, unsigned *number)
{
	unsigned next = 0;

	for (unsigned i = 0; i < n; i++)
		number[i] = used[i] ? next++ : (unsigned)-1;
	return next;
}

static void drop_catalog(struct machine *machine, unsigned type)
{
	struct catalog *catalog = machine->type[type].catalog;
	bool is_shared = false;

	for (unsigned i = 0; i < machine->n_types; i++)
		is_shared |= i != type && machine->type[i].catalog == catalog;
	if (!is_shared)
		catalog_free(catalog);
	machine->type[type].catalog = NULL;
}

static void drop_unused_types(struct machine *machine)
{
	bool used[TYPES_MAX] = { false };
	unsigned number[TYPES_MAX];

	for (unsigned i = 0; i < machine->n_cores; i++)
		used[machine->core[i].type] = true;

	unsigned n = renumber(used, machine->n_types, number);

	for (unsigned i = 0; i < machine->n_types; i++)
		if (used[i])
			machine->type[number[i]] = machine->type[i];
		else
			drop_catalog(machine, i);
	for (unsigned i = 0; i < machine->n_cores; i++)
		machine->core[i].type = number[machine->core[i].type];
	machine->n_types = n;
}

/* Find a kept CPU of the same socket to read a device on: its driver counts the whole socket on
 * any of its CPUs. If a PMU has several CPUs in a socket, their cores are unknown. @return -1:
 * none */
static int find_stand_in(const struct machine *machine, const struct pmu *pmu,
			 const struct cpus *keep, unsigned package)
{
	unsigned n = 0;
	int ret = -1;

	for (unsigned i = machine->n_cores; i-- > 0;) {
		const struct core *core = &machine->core[i];

		if (core->package != package)
			continue;
		n += cpus_has(&pmu->cpus, core->cpu);
		if (cpus_has(keep, core->cpu))
			ret = (int)core->cpu;
	}
	return n == 1 ? ret : -1;
}

/* Let devices whose CPU is not kept be read on another CPU of their socket; they are counted for
 * any cores. */
static void move_devices(struct machine *machine, const struct cpus *keep)
{
	for (size_t i = 0; i < machine->pmus.n; i++) {
		struct pmu *pmu = &machine->pmus.pmu[i];

		for (unsigned k = 0; k < machine->n_cores && pmu->kind == PMU_UNCORE; k++) {
			const struct core *core = &machine->core[k];
			int other = -1;

			if (cpus_has(&pmu->cpus, core->cpu) && !cpus_has(keep, core->cpu))
				other = find_stand_in(machine, pmu, keep, core->package);
			if (other >= 0)
				cpus_add(&pmu->cpus, (unsigned)other);
		}
	}
}

int machine_restrict(struct machine *machine, const struct cpus *keep, struct err *err)
{
	struct cpus here = machine_cpus(machine), absent = { 0 };
	unsigned kept = 0;

	cpus_each(keep, cpu)
		if (cpus_has(&here, (unsigned)cpu))
			kept++;
		else
			cpus_add(&absent, (unsigned)cpu);
	if (!kept) {
		char list[64];

		return err_set(err, ENODEV, "none of the CPUs %s exists on this machine",
			       cpus_format(keep, list, sizeof(list)));
	}

	machine_note_cpus(machine, &absent, "not online on this machine, left out of -C");
	move_devices(machine, keep);
	kept = 0;
	for (unsigned i = 0; i < machine->n_cores; i++)
		if (cpus_has(keep, machine->core[i].cpu))
			machine->core[kept++] = machine->core[i];
	machine->n_cores = kept;
	drop_unused_types(machine);
	machine_number(machine);
	return 0;
}

/* Whether a word of the text begins with the letters of this one and has its number, if any. */
static bool begins_word(const char *text, const char *with)
{
	static const char digits[] = "0123456789";
	size_t n = strcspn(with, digits);
	char word[WORD_MAX];

	while (text_next_word(&text, word, sizeof(word)))
		if (ascii_ncasecmp(word, with, n) == 0 &&
		    (!with[n] || strcmp(word + strcspn(word, digits), with + n) == 0))
			return true;
	return false;
}

/* Whether an item such as "P cluster 1" or "node0" names a core. */
static bool is_named(const struct machine *machine, unsigned core, const char *item)
{
	char words[WORD_MAX], word[WORD_MAX], joined[WORD_MAX] = "";
	const char *rest = item;

	snprintf(words, sizeof(words), "%s cpu%u", machine->type[machine->core[core].type].name,
		 machine->core[core].cpu);
	for (unsigned level = LEVEL_PHYSICAL; level < LEVEL_TYPE; level++)
		if (machine_level[level].brief && machine_level_rows(machine, level))
			buf_printf(words, sizeof(words), " %s%u", machine_level[level].name,
				   machine_level_number(machine, level, core));
	while (text_next_word(&rest, word, sizeof(word))) /* "cluster 1" as "cluster1" */
		buf_printf(joined, sizeof(joined), "%s%s",
			   *joined && !isdigit((unsigned char)*word) ? " " : "", word);
	rest = joined;
	while (text_next_word(&rest, word, sizeof(word)))
		if (!begins_word(words, word))
			return false;
	return true;
}

bool machine_choose(const struct machine *machine, const char *text, struct cpus *ret)
{
	bool is_known = true;
	const char *item;
	size_t n;

	*ret = (struct cpus){ { 0 } };
	while (text_next_item(&text, &item, &n)) {
		struct cpus list;
		char name[WORD_MAX];
		bool is_list, any = !n;

		snprintf(name, sizeof(name), "%.*s", (int)n, item);
		is_list = cpus_parse(name, &list, NULL) == 0;
		for (unsigned i = 0; i < machine->n_cores && n; i++) {
			unsigned cpu = machine->core[i].cpu;

			if (!(is_list ? cpus_has(&list, cpu) : is_named(machine, i, name)))
				continue;
			cpus_add(ret, cpu);
			any = true;
		}
		is_known &= any;
	}
	return is_known;
}

int machine_keep(struct machine *machine, const char *text, struct err *err)
{
	struct cpus keep;

	if (cpus_parse(text, &keep, NULL) && !machine_choose(machine, text, &keep))
		return err_set(err, ENODEV,
			       "a part of \"%s\" names no core of this machine; examples: 0-3,8 "
			       "node0 llc1 socket0 cluster1",
			       text);
	return machine_restrict(machine, &keep, err);
}

void machine_fini(struct machine *machine)
{
	if (!machine)
		return;
	for (unsigned i = 0; i < machine->n_types; i++)
		drop_catalog(machine, i);
	pmus_fini(&machine->pmus);
	free(machine->activity);
	free(machine->sensors);
	free(machine->core);
	memset(machine, 0, sizeof(*machine));
}

const char *machine_cores_text(const struct machine *machine, char *buf, size_t size)
{
	if (machine->n_types < 2) {
		snprintf(buf, size, "%u core%s", machine->n_cores,
			 machine->n_cores == 1 ? "" : "s");
		return buf;
	}
	buf[0] = '\0';
	for (unsigned type = 0; type < machine->n_types; type++) {
		unsigned n_cores = 0;

		for (unsigned core = 0; core < machine->n_cores; core++)
			n_cores += machine->core[core].type == type;
		buf_printf(buf, size, "%s%u %s", type ? " + " : "", n_cores,
			   machine->type[type].name);
	}
	return buf;
}
