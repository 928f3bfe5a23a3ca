#include "session/format/note.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/num.h"
#include "pmu/activity.h"
#include "session/format/row_name.h"
#include "session/format/task_names.h"

/* ---- schema ---- */

#define TYPE_OF(member) \
	_Generic((member), float: MEMBER_REAL, double: MEMBER_REAL, char *: MEMBER_CHARS, \
		 const char *: MEMBER_POINTER, default: MEMBER_INTEGER)
/* A field: the member, the key, and what struct note_field has behind it. */
#define F(of, is, key_, ...)                                                                \
	{                                                                                   \
		.member = TYPE_OF(((struct of *)0)->is), .offset = offsetof(struct of, is), \
		.size = sizeof(__typeof__(((struct of *)0)->is)), .key = key_, __VA_ARGS__  \
	}

/* In the order of docs/session-format.md. */
const struct note_field note_schema[] = {
	{ .key = "m1top session 1" },
	{ .key = "host" },
	F(session_head, host, NULL, FORM_NAME, FIELD_WRITTEN),
	F(session_head, kernel, "kernel ", FORM_NAME, FIELD_WRITTEN),
	F(session_head, backend, "backend ", FORM_NAME, FIELD_WRITTEN),
	F(session_head, interval_ns, "interval_ms ", FORM_MS, FIELD_NEEDED),
	F(session_head, started, "started ", FORM_NAME, FIELD_NEEDED),
	{ .key = "machine" },
	F(machine, model, NULL, FORM_NAME, FIELD_WRITTEN),
	F(machine, cpuid, "cpuid=", FORM_NAME, FIELD_NEEDED),
	F(machine, simulated, "simulated=", FORM_NUMBER, FIELD_NEEDED, 1),
	{ .key = "type" },
	F(core_type, name, NULL, FORM_NAME, FIELD_NEEDED),
	F(core_type, pmu, "pmu=", FORM_PMU, FIELD_NEEDED),
	F(core_type, n_counters, "counters=", FORM_NUMBER, FIELD_NEEDED, COLUMNS_MAX),
	F(core_type, width, "width=", FORM_NUMBER, FIELD_NEEDED, 64),
	F(core_type, slot_is_counter, "slot_is_counter=", FORM_NUMBER, FIELD_NEEDED, 1),
	F(core_type, first_fit, "first_fit=", FORM_NUMBER, FIELD_NEEDED, 1),
	F(core_type, max_mhz, "max_mhz=", FORM_NUMBER, FIELD_OPTIONAL),
	{ .key = "cpu" },
	F(core, cpu, NULL, FORM_NUMBER, FIELD_NEEDED, NOTE_CPUS_MAX - 1),
	F(core, type, "type=", FORM_TYPE, FIELD_NEEDED),
	F(core, cluster, "cluster=", FORM_NUMBER, FIELD_NEEDED, CORES_MAX - 1),
	F(core, midr, "midr=", FORM_HEX, FIELD_NEEDED),
	F(core, llc_id, "llc=", FORM_NUMBER, FIELD_OPTIONAL, INT_MAX, .absent = UINT_MAX),
	F(core, node_id, "node=", FORM_NUMBER, FIELD_OPTIONAL, INT_MAX, .absent = UINT_MAX),
	F(core, package, "socket=", FORM_NUMBER, FIELD_OPTIONAL),
	F(core, thread0, "thread0=", FORM_NUMBER, FIELD_OPTIONAL, NOTE_CPUS_MAX - 1,
	  .absent = UINT_MAX),
	{ .key = "source " ACTIVITY_PMU },
	F(note_source, path, "path=", FORM_NAME, FIELD_NEEDED),
	F(note_source, type, "type=", FORM_TYPE, FIELD_NEEDED),
	F(note_source, events, "events=", FORM_HEX, FIELD_NEEDED),
	{ .key = "pmu" },
	F(pmu, name, NULL, FORM_NAME, FIELD_NEEDED),
	F(pmu, identifier, "identifier=", FORM_NAME, FIELD_NEEDED),
	{ .key = "sensor" },
	F(note_sensor, kind, NULL, FORM_NAME, FIELD_NEEDED),
	F(note_sensor, name, "name=", FORM_NAME, FIELD_NEEDED),
	F(note_sensor, unit, "unit=", FORM_NAME, FIELD_WRITTEN),
	{ .key = "literals" },
	F(note_literals, type, "type=", FORM_TYPE, FIELD_NEEDED),
	F(note_literals, value[0], "smt_on=", FORM_REAL, FIELD_OPTIONAL),
	F(note_literals, value[1], "core_wide=", FORM_REAL, FIELD_OPTIONAL),
	F(note_literals, value[2], "num_cpus=", FORM_REAL, FIELD_OPTIONAL),
	F(note_literals, value[3], "num_cpus_online=", FORM_REAL, FIELD_OPTIONAL),
	F(note_literals, value[4], "num_cores=", FORM_REAL, FIELD_OPTIONAL),
	F(note_literals, value[5], "num_dies=", FORM_REAL, FIELD_OPTIONAL),
	F(note_literals, value[6], "num_packages=", FORM_REAL, FIELD_OPTIONAL),
	F(note_literals, value[7], "slots=", FORM_REAL, FIELD_OPTIONAL),
	F(note_literals, value[8], "system_tsc_freq=", FORM_REAL, FIELD_OPTIONAL),
	F(note_literals, value[9], "has_pmem=", FORM_REAL, FIELD_OPTIONAL),
	{ .key = "asked" },
	F(session_request, preset, "preset=", FORM_NAME, FIELD_OPTIONAL),
	F(session_request, metrics, "metrics=", FORM_TEXT, FIELD_OPTIONAL),
	F(session_request, extra, "beside=", FORM_NAME, FIELD_OPTIONAL),
	F(session_request, tasks, "tasks=", FORM_NAME, FIELD_OPTIONAL),
	F(session_request, by_device, "rows=", FORM_FLAG, FIELD_OPTIONAL, .flag = "device"),
	F(session_request, of_sets, "metrics_of=", FORM_FLAG, FIELD_OPTIONAL, .flag = "sets"),
	{ .key = "set" },
	F(note_set, number, NULL, FORM_NUMBER, FIELD_NEEDED),
	F(note_set, type, "type=", FORM_TYPE, FIELD_NEEDED),
	F(note_set, slot, "slot=", FORM_NUMBER, FIELD_NEEDED, COLUMNS_MAX - 1),
	F(note_set, by_task, "tasks=", FORM_FLAG, FIELD_OPTIONAL, .flag = "1"),
	F(note_set, is_sampled, "sampled=", FORM_FLAG, FIELD_OPTIONAL, .flag = "1"),
	F(note_set, mux, "turn=", FORM_NUMBER, FIELD_OPTIONAL, MUX_MAX - 1, .absent = UINT_MAX),
	F(note_set, splits_metrics, "split=", FORM_FLAG, FIELD_OPTIONAL, .flag = "1"),
	F(note_set, skips, "skips=", FORM_NUMBER, FIELD_OPTIONAL, SLOTS_MAX - 1),
	F(note_set, event.pmu, "pmu=", FORM_PMU, FIELD_NEEDED),
	F(note_set, event.name, "event=", FORM_NAME, FIELD_NEEDED),
	F(note_set, known, "known=", FORM_NAME, FIELD_OPTIONAL),
	F(note_set, event.streams, "streams=", FORM_HEX, FIELD_OPTIONAL),
	F(note_set, event.short_name, "short=", FORM_NAME, FIELD_OPTIONAL),
	F(note_set, event.config[0], "config=", FORM_HEX, FIELD_NEEDED),
	F(note_set, event.config[1], "config1=", FORM_HEX, FIELD_OPTIONAL),
	F(note_set, event.config[2], "config2=", FORM_HEX, FIELD_OPTIONAL),
	F(note_set, event.config[3], "config3=", FORM_HEX, FIELD_OPTIONAL),
	F(note_set, event.config[4], "config4=", FORM_HEX, FIELD_OPTIONAL),
	F(note_set, levels, "levels=", FORM_NAME, FIELD_OPTIONAL),
	F(note_set, width, "width=", FORM_NUMBER, FIELD_WRITTEN),
	F(note_set, event.unit, "unit=", FORM_NAME, FIELD_NEEDED),
	F(note_set, event.scale, "scale=", FORM_REAL, FIELD_NEEDED),
	F(note_set, counter, "counter=", FORM_NUMBER, FIELD_OPTIONAL, COUNTER_NONE - 1,
	  .absent = UINT_MAX),
	F(note_set, event.refused, "refused=", FORM_NAME, FIELD_OPTIONAL),
	{ .key = "task", .form = FORM_TIMED },
	F(note_task, number, NULL, FORM_TASK, FIELD_NEEDED),
	F(note_task, process, "process=", FORM_NUMBER, FIELD_OPTIONAL, .absent = UINT32_MAX),
	F(note_task, name, "name=", FORM_NAME, FIELD_NEEDED),
	F(note_task, cgroup, "cgroup=", FORM_NAME, FIELD_OPTIONAL),
	F(note_task, container, "container=", FORM_NAME, FIELD_OPTIONAL),
	{ .key = "exit", .form = FORM_TIMED },
	F(note_task, number, "task ", FORM_TASK, FIELD_NEEDED),
	{ .key = "tasks", .form = FORM_TIMED },
	F(frame_tasks, n_switches, "switches=", FORM_NUMBER, FIELD_WRITTEN),
	F(frame_tasks, n_lost, "lost=", FORM_NUMBER, FIELD_WRITTEN),
	F(frame_tasks, cost_share, "cost_pct=", FORM_COST, FIELD_WRITTEN, 10000, 4, 100),
	{ .key = "samples", .form = FORM_TIMED },
	F(frame_hot, column, "column=", FORM_NUMBER, FIELD_NEEDED, COLUMNS_MAX - 1),
	F(frame_hot, n_lost, "lost=", FORM_NUMBER, FIELD_WRITTEN),
	F(frame_hot, n_throttled, "throttled=", FORM_NUMBER, FIELD_WRITTEN),
	{ .key = "hot", .form = FORM_TIMED },
	F(note_hot, core, "cpu=", FORM_CORE, FIELD_NEEDED),
	F(note_hot, task, "pid=", FORM_TASK, FIELD_NEEDED),
	F(note_hot, later, "later=", FORM_NUMBER, FIELD_OPTIONAL),
	F(note_hot, n, "n=", FORM_NUMBER, FIELD_NEEDED, UINT32_MAX),
	F(note_hot, weight, "weight=", FORM_REAL, FIELD_NEEDED, .digits = 9),
	F(note_hot, weight2, "weight2=", FORM_REAL, FIELD_NEEDED, .digits = 9),
	F(note_hot, function, "function=", FORM_NAME, FIELD_NEEDED),
	F(note_hot, object, "object=", FORM_NAME, FIELD_NEEDED),
	F(note_hot, is_kernel, "kernel=", FORM_FLAG, FIELD_OPTIONAL, .flag = "1"),
	{ .key = "metric" },
	F(note_metric, name, NULL, FORM_NAME, FIELD_WRITTEN),
	F(note_metric, type, "type=", FORM_TYPE, FIELD_WRITTEN),
	F(note_metric, unit, "unit=", FORM_NAME, FIELD_WRITTEN),
	F(note_metric, scale, "scale=", FORM_REAL, FIELD_WRITTEN),
	F(note_metric, expr, "expr=", FORM_TEXT, FIELD_WRITTEN),
	F(note_metric, threshold, "threshold=", FORM_TEXT, FIELD_OPTIONAL),
	{ .key = "interval", .form = FORM_TIMED },
	F(frame, interval_ns, NULL, FORM_MS, FIELD_NEEDED),
	{ .key = "ms", .form = FORM_WORD },
	{ .key = "gap", .form = FORM_TIMED },
	F(note_gap, n, NULL, FORM_NUMBER, FIELD_NEEDED),
	F(note_gap, why, "frames ", FORM_REASON, FIELD_WRITTEN),
	{ .key = "off", .form = FORM_TIMED },
	F(note_hot, core, "cpu ", FORM_CORE, FIELD_NEEDED),
	{ .key = "on", .form = FORM_TIMED },
	F(note_hot, core, "cpu ", FORM_CORE, FIELD_NEEDED),
	{ .key = "own", .form = FORM_TIMED },
	F(frame, own_core_share, "core_pct=", FORM_COST, FIELD_WRITTEN, CPUS_MAX, 4, 100),
	F(frame, own_total_share, "total_pct=", FORM_COST, FIELD_WRITTEN, CPUS_MAX, 4, 100),
	F(frame, own_wakeups_per_s, "wakeups_s=", FORM_COST, FIELD_WRITTEN, INT64_MAX, 1, 1),
	F(frame, late_max_ns, "late_max_us=", FORM_COST, FIELD_WRITTEN, UINT32_MAX, 1, 1e-3),
	F(frame, late_p99_ns, "late_p99_us=", FORM_COST, FIELD_WRITTEN, UINT32_MAX, 1, 1e-3),
	F(frame, n_dropped, "dropped=", FORM_COST, FIELD_WRITTEN, INT64_MAX, 0, 1),
	{ .key = "mark", .form = FORM_TIMED },
	F(note_gap, why, NULL, FORM_TEXT, FIELD_WRITTEN),
	{ .key = NULL },
};

const struct note_field *note_schema_of(const char *word)
{
	const struct note_field *field = note_schema;

	while (field->form > FORM_TIMED || strcmp(field->key, word) != 0)
		field++;
	return field;
}

/* ---- members ---- */

static void *member_of(const struct note_field *field, const void *of)
{
	return (char *)of + field->offset;
}

/* Little-endian, as all machines that have counters of m1top's. */
static uint64_t get_number(const struct note_field *field, const void *of)
{
	uint64_t number = 0;

	memcpy(&number, member_of(field, of), field->size);
	return number;
}

static double get_real(const struct note_field *field, const void *of)
{
	const void *at = member_of(field, of);

	if (field->member == MEMBER_INTEGER)
		return (double)get_number(field, of);
	return field->size == sizeof(float) ? (double)*(const float *)at : *(const double *)at;
}

/* ---- writing ---- */

static void put_number(struct text *out, const struct note_field *field,
		       const struct machine *machine, uint64_t number)
{
	if (field->form == FORM_HEX)
		text_printf(out, "0x%" PRIx64, number);
	else if (field->form == FORM_FLAG)
		text_string(out, field->flag);
	else if (field->form == FORM_TASK)
		text_printf(out, "%" PRId64, (int64_t)number);
	else if (field->form == FORM_TYPE)
		csv_value(out, machine->type[number].name);
	else if (field->form == FORM_MS)
		text_printf(out, "%.15g", (double)number / 1e6);
	else
		text_u64(out, field->form == FORM_CORE ? machine->core[number].cpu : number, 1);
}

/* Get the text of a field. @return NULL: it has none */
static const char *text_of(const struct note_field *field, const void *from)
{
	const void *at = member_of(field, from);
	const struct pmu *pmu;

	if (field->form == FORM_PMU) {
		pmu = *(const struct pmu *const *)at;
		return pmu ? pmu->name : "";
	}
	return field->member == MEMBER_CHARS ? at : *(const char *const *)at;
}

static bool is_left_out(const struct note_field *field, const void *from)
{
	if (field->presence != FIELD_OPTIONAL)
		return false;
	if (field->form >= FORM_PMU)
		return !text_of(field, from) || !*text_of(field, from);
	return field->form == FORM_REAL ? isnan(get_real(field, from))
					: get_number(field, from) == field->absent;
}

static void put_value(struct text *out, const struct note_field *field,
		      const struct machine *machine, const void *from)
{
	const char *text = field->form >= FORM_PMU ? text_of(field, from) : NULL;
	char buf[NUM_SHORTEST_MAX];

	if (field->form == FORM_COST)
		text_printf(out, "%.*f", field->digits, get_real(field, from) * field->unit);
	else if (field->form == FORM_REAL && field->digits)
		text_printf(out, "%.*g", field->digits, get_real(field, from));
	else if (field->form == FORM_REAL)
		text_string(out, num_shortest(get_real(field, from), buf));
	else if (!text)
		put_number(out, field, machine, get_number(field, from));
	else if (field->form == FORM_TEXT)
		csv_quote(out, text, true);
	else if (field->form == FORM_REASON)
		text_printf(out, "(%s)", text);
	else if (*text || !field->key || !strchr(field->key, '='))
		csv_value(out, text);
}

void note_put(struct text *out, const char *word, const struct machine *machine, uint64_t t_ns,
	      const void *from)
{
	const struct note_field *field = note_schema_of(word);

	text_printf(out, field->form == FORM_TIMED ? "# %s " : "# %s", word);
	if (field->form == FORM_TIMED)
		text_seconds(out, t_ns);
	while ((++field)->form > FORM_TIMED) {
		if (field->form != FORM_WORD && is_left_out(field, from))
			continue;
		text_printf(out, " %s", field->key ? field->key : "");
		if (field->form != FORM_WORD)
			put_value(out, field, machine, from);
	}
	text_add(out, "\n", 1);
}

/* ---- words ---- */

bool note_is(const char *line, const char *word)
{
	size_t n = strlen(word);

	return line[0] == '#' && line[1] == ' ' && strncmp(line + 2, word, n) == 0 &&
	       (line[2 + n] == ' ' || line[2 + n] == '\0');
}

char *note_unquote(char *from)
{
	char *to = from, *at = from + 1;

	for (; *at; at++) {
		if (*at == '"' && at[1] != '"') {
			*to = '\0';
			return at + 1;
		}
		at += *at == '"';
		*to++ = *at;
	}
	return NULL;
}

/* @return start of the next word; NULL: a quote is not closed */
static char *take_word(char *at, struct note_word *word)
{
	size_t n = strcspn(at, " =\"(");
	char *end;

	if (at[n] == '=') {
		word->key = at;
		at[n] = '\0';
		at += n + 1;
	}
	word->value = at;
	if (*at == '(' && (end = strchr(at, ')'))) {
		word->value = at + 1;
		*end = '\0';
		return end + 1;
	}
	return *at == '"' ? note_unquote(at) : at + strcspn(at, " ");
}

int note_parse(struct note *note, char *line)
{
	char *at = line + 1;

	while (*(at += strspn(at, " "))) {
		struct note_word *word = &note->word[note->n];
		struct note_word here = { .column = (size_t)(at - line) + 1 };

		if (note->n == NOTE_WORDS_MAX)
			return note_fail(note, &here, "too many words");
		*word = here;
		at = take_word(at, word);
		if (!at)
			return note_fail(note, &here, "unterminated quote");
		here.column = (size_t)(at - line) + 1;
		if (*at && *at != ' ')
			return note_fail(note, &here, "expected a blank after the quote");
		note->n++;
		if (*at)
			*at++ = '\0';
	}
	return 0;
}

const struct note_word *note_value(const struct note *note, const char *key)
{
	size_t n = strcspn(key, "=");

	for (size_t i = 0; i < note->n; i++)
		if (note->word[i].key && strncmp(note->word[i].key, key, n) == 0 &&
		    !note->word[i].key[n])
			return &note->word[i];
	return NULL;
}

const struct note_word *note_word(const struct note *note, size_t n)
{
	for (size_t i = 0; i < note->n; i++)
		if (!note->word[i].key && n-- == 0)
			return &note->word[i];
	return NULL;
}

int note_fail(struct note *note, const struct note_word *at, const char *fmt, ...)
{
	char text[400];
	va_list args;

	if (note->rc)
		return note->rc;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	note->rc = err_set(note->err, EINVAL, "%s:%" PRIu64 ":%zu: %s", note->path, note->line,
			   at ? at->column : 1, text);
	return note->rc;
}

void note_no_memory(struct note *note)
{
	if (!note->rc)
		note->rc = err_set(note->err, ENOMEM, "out of memory");
}

/* ---- values ---- */

bool note_parse_u64(const char *at, size_t n, uint64_t *ret)
{
	const size_t safe = 19; /* digits that cannot overflow */
	uint64_t value = 0;
	unsigned digit, wrong = 0;

	if (!n || n > safe + 1)
		return false;
	for (size_t i = 0; i < n && i < safe; i++) {
		digit = (unsigned char)at[i] - '0';
		wrong |= digit > 9;
		value = value * 10 + digit;
	}
	if (n > safe) {
		digit = (unsigned char)at[safe] - '0';
		wrong |= digit > 9 || __builtin_mul_overflow(value, UINT64_C(10), &value) ||
			 __builtin_add_overflow(value, (uint64_t)digit, &value);
	}
	if (wrong)
		return false;
	*ret = value;
	return true;
}

bool note_parse_time(const char *at, size_t n, uint64_t *ret_ns)
{
	const uint64_t most_s =
		1000000000; /* 31 years: the sum of two times fits a signed number */
	const char *dot = memchr(at, '.', n);
	size_t places = dot ? n - (size_t)(dot - at) - 1 : 0;
	uint64_t seconds, ns = 0;

	if (!note_parse_u64(at, dot ? (size_t)(dot - at) : n, &seconds) || seconds > most_s ||
	    places > 9 || (dot && !note_parse_u64(dot + 1, places, &ns)))
		return false;
	for (; places < 9; places++)
		ns *= 10;
	*ret_ns = seconds * NS_PER_S + ns;
	return true;
}

bool note_parse_task(const char *at, size_t n, int64_t *ret)
{
	bool is_below = n && *at == '-';
	uint64_t size;

	if (!note_parse_u64(at + is_below, n - is_below, &size) || size > UINT32_MAX)
		return false;
	*ret = is_below ? -(int64_t)size : (int64_t)size;
	return task_kind_of(*ret) < N_TASK_KINDS;
}

static enum pmu_kind pmu_kind_of(const char *name)
{
	if (strcmp(name, "software") == 0)
		return PMU_SOFTWARE;
	if (strcmp(name, "tracepoint") == 0)
		return PMU_TRACEPOINT;
	return strcmp(name, "msr") == 0 ? PMU_MSR : PMU_UNCORE;
}

struct pmu *note_pmu(struct note *note, const char *name)
{
	struct pmus *pmus = &note->machine->pmus;
	struct pmu *pmu = (struct pmu *)pmu_find(pmus, name);

	if (note->rc || !*name || pmu)
		return *name ? pmu : NULL;
	/* types and events point into the array, so it must not move */
	if (!pmus->pmu)
		pmus->pmu = calloc(NOTE_PMUS_MAX, sizeof(*pmus->pmu));
	if (!pmus->pmu) {
		note_no_memory(note);
		return NULL;
	}
	if (pmus->n == NOTE_PMUS_MAX) {
		note_fail(note, NULL, "more than %d PMUs", NOTE_PMUS_MAX);
		return NULL;
	}
	pmu = &pmus->pmu[pmus->n++];
	snprintf(pmu->name, sizeof(pmu->name), "%s", name);
	pmu->kind = pmu_kind_of(name);
	return pmu;
}

static uint64_t max_of(const struct note_field *field)
{
	return field->max ? field->max : UINT64_MAX >> (64 - 8 * field->size);
}

static void fail_value(struct note *note, const struct note_field *field,
		       const struct note_word *word)
{
	static const char *const what[N_NOTE_FORMS] = {
		[FORM_TASK] = "the number of a task",
		[FORM_CORE] = "a CPU of the head",
		[FORM_MS] = "an interval in ms",
		[FORM_REAL] = "a number",
	};
	char buf[48];

	snprintf(buf, sizeof(buf), "a number up to %" PRIu64, max_of(field));
	note_fail(note, word, "%s%s%s%sexpected %s", word->key ? word->key : "",
		  word->key ? "=" : "", word->key ? word->value : "", word->key ? ": " : "",
		  what[field->form] ? what[field->form] : buf);
}

static bool parse_type(struct note *note, const struct note_word *word, uint64_t *ret)
{
	for (unsigned i = 0; i < note->machine->n_types; i++)
		if (strcmp(note->machine->type[i].name, word->value) == 0) {
			*ret = i;
			return true;
		}
	note_fail(note, word, "no core type \"%s\" above", word->value);
	return false;
}

/* @return false: not valid */
static bool parse_number(struct note *note, const struct note_field *field,
			 const struct note_word *word, uint64_t *ret)
{
	double ms;

	if (field->form == FORM_FLAG)
		return !!(*ret = strcmp(word->value, field->flag) == 0);
	if (field->form == FORM_TASK)
		return note_parse_task(word->value, strlen(word->value), (int64_t *)ret);
	if (field->form == FORM_TYPE)
		return parse_type(note, word, ret);
	if (field->form == FORM_MS) { /* from one nanosecond to many days */
		if (num_parse_double(word->value, &ms) || ms < 1e-6 || ms > 1e9)
			return false;
		*ret = (uint64_t)(ms * 1e6 + 0.5);
		return true;
	}
	if (num_parse_u64(word->value, ret) || *ret > max_of(field))
		return false;
	if (field->form != FORM_CORE)
		return true;
	if (*ret >= NOTE_CPUS_MAX || note->core_of_cpu[*ret] < 0)
		return false;
	*ret = (uint64_t)note->core_of_cpu[*ret];
	return true;
}

static void take_real(struct note *note, const struct note_field *field,
		      const struct note_word *word, void *to)
{
	void *at = member_of(field, to);
	double value = field->presence == FIELD_OPTIONAL ? NAN : 0;
	uint64_t number;
	int rc = word ? num_parse_double(word->value, &value) : 0;

	if (field->form == FORM_COST)
		value = rc ? 0 : fmax(0, fmin(value / field->unit, (double)field->max));
	else if (rc)
		fail_value(note, field, word);
	if (field->member == MEMBER_INTEGER) {
		number = (uint64_t)value;
		memcpy(at, &number, field->size);
	} else if (field->size == sizeof(float)) {
		*(float *)at = (float)value;
	} else {
		*(double *)at = value;
	}
}

static void take_text(struct note *note, const struct note_field *field,
		      const struct note_word *word, void *to)
{
	void *at = member_of(field, to);
	const char *text = word ? word->value : NULL;

	if (field->form == FORM_PMU)
		*(struct pmu **)at = note_pmu(note, text ? text : "");
	else if (field->member == MEMBER_CHARS)
		snprintf(at, field->size, "%s", text ? text : "");
	else
		*(const char **)at = text;
}

static void take_field(struct note *note, const struct note_field *field,
		       const struct note_word *word, void *to)
{
	uint64_t number = field->absent;
	const char *key = field->key;

	if (!word && field->presence == FIELD_NEEDED)
		note_fail(note, NULL, "%.*s is missing", key ? (int)strcspn(key, " ") : 6,
			  key ? key : "a word");
	if (field->form >= FORM_PMU) {
		take_text(note, field, word, to);
	} else if (field->form == FORM_REAL || field->form == FORM_COST) {
		take_real(note, field, word, to);
	} else {
		if (word && !parse_number(note, field, word, &number))
			fail_value(note, field, word);
		memcpy(member_of(field, to), &number, field->size);
	}
}

static uint64_t take_time(struct note *note)
{
	const struct note_word *word = note_word(note, 1);
	uint64_t t_ns = 0;

	if (!word || !note_parse_time(word->value, strlen(word->value), &t_ns))
		note_fail(note, word, "expected a time in seconds");
	return t_ns;
}

/* Get the number of the word behind a key that is a word of its own, such as "kernel ". @n  words before are others' */
static size_t behind(const struct note *note, const char *key, size_t n)
{
	size_t length = strcspn(key, " ");
	const struct note_word *word;

	while ((word = note_word(note, n++)) &&
	       (strncmp(word->value, key, length) != 0 || word->value[length]))
		;
	return n;
}

void note_read(struct note *note, void *to)
{
	const struct note_field *field = note->schema;
	size_t n_plain = note->schema->form == FORM_TIMED ? 2 : strchr(field->key, ' ') ? 2 : 1;

	if (field->form == FORM_TIMED)
		note->t_ns = take_time(note);
	while ((++field)->form > FORM_TIMED) {
		bool has_key = field->key && strchr(field->key, '=');
		const struct note_word *word;

		if (field->key && strchr(field->key, ' '))
			n_plain = behind(note, field->key, n_plain);
		word = has_key ? note_value(note, field->key) : note_word(note, n_plain++);
		if (field->form != FORM_WORD)
			take_field(note, field, word, to);
	}
}
