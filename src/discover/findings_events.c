/* Event files of what was found: for ids that nobody has named yet. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "discover/findings_file.h"
#include "discover/raw_id.h"

enum { EVIDENCE_MAX = 8 }; /* kernels that a description names */

static bool is_evidence(const struct findings *findings, const struct finding *finding)
{
	const struct findings_type *type = &findings->type[finding->type];

	return finding->estimate.verdict == VERDICT_CONSISTENT &&
	       strcmp(type->pmu, "software") != 0;
}

static bool is_known(const struct findings *findings, size_t place)
{
	for (unsigned type = 0; type < findings->n_types; type++)
		if (findings_of_id(findings, type, place)->is_known)
			return true;
	return false;
}

/* One per trigger says more than any other factor; then the narrower interval. */
static bool is_plainer(const struct estimate *a, const struct estimate *b)
{
	bool a_is_one = a->k == 1, b_is_one = b->k == 1;

	if (a_is_one != b_is_one)
		return a_is_one;
	return (a->high - a->low) / fabs(a->k) < (b->high - b->low) / fabs(b->k);
}

/* @id  of which there is evidence */
static const struct finding *plainest(const struct findings *findings, uint64_t id)
{
	const struct finding *best = NULL;

	for (size_t i = 0; i < findings->n; i++) {
		const struct finding *finding = &findings->finding[i];

		if (finding->id == id && is_evidence(findings, finding) &&
		    (!best || is_plainer(&finding->estimate, &best->estimate)))
			best = finding;
	}
	return best;
}

/* What is right on every type. 0: not known */
static uint64_t counters_of(const struct findings *findings, size_t place)
{
	uint64_t counters = UINT64_MAX;

	for (unsigned type = 0; type < findings->n_types; type++) {
		const struct mask *mask = &findings_of_id(findings, type, place)->mask;

		if (mask->source != MASK_UNKNOWN && mask->counters)
			counters &= mask->counters;
	}
	return counters == UINT64_MAX ? 0 : counters;
}

static void print_counters(uint64_t counters, struct text *ret)
{
	text_printf(ret, ",\n    \"Counter\": \"");
	findings_print_counters(counters, ",", ret);
	text_printf(ret, "\"");
}

static void print_name(const struct findings *findings, const struct finding *finding,
		       struct text *ret)
{
	const char *kernel = findings->kernel[finding->kernel];

	text_printf(ret, "    \"EventName\": \"UNKNOWN_%02" PRIX64 "_", finding->id);
	for (; *kernel; kernel++)
		text_printf(ret, "%c", isalnum((unsigned char)*kernel) ? *kernel : '_');
	text_printf(ret, "\"");
}

static void print_evidence(const struct findings *findings, uint64_t id, struct text *ret)
{
	unsigned n = 0;

	for (size_t i = 0; i < findings->n; i++) {
		const struct finding *finding = &findings->finding[i];
		const struct estimate *e = &finding->estimate;

		if (finding->id != id || !is_evidence(findings, finding) || n++ >= EVIDENCE_MAX)
			continue;
		text_printf(ret, "%s%s %g on %s (%.4g to %.4g)", n > 1 ? ", " : "",
			    findings->kernel[finding->kernel], e->k,
			    findings->type[finding->type].name, e->low, e->high);
	}
	if (n > EVIDENCE_MAX)
		text_printf(ret, " and %u more", n - EVIDENCE_MAX);
}

static void print_code(const struct findings_type *type, uint64_t id, struct text *ret)
{
	uint64_t umask = raw_id_part(id, type->umask_bits);

	text_printf(ret, ",\n    \"EventCode\": \"0x%02" PRIx64 "\"",
		    type->umask_bits ? raw_id_part(id, type->event_bits) : id);
	if (umask)
		text_printf(ret, ",\n    \"UMask\": \"0x%02" PRIx64 "\"", umask);
}

static void print_event(const struct findings *findings, size_t place,
			const struct finding *finding, struct text *ret)
{
	uint64_t counters = counters_of(findings, place);
	struct text what = { 0 }, source = { 0 };

	text_printf(&what, "Counts per trigger: ");
	print_evidence(findings, finding->id, &what);
	text_printf(&source, "m1top discover on %s, %s", findings->machine.model,
		    findings->machine.date);
	text_printf(ret, "  {\n");
	print_name(findings, finding, ret);
	print_code(&findings->type[finding->type], finding->id, ret);
	if (counters)
		print_counters(counters, ret);
	text_printf(ret, ",\n    \"BriefDescription\": ");
	text_json(ret, what.failed ? "" : what.bytes);
	text_printf(ret, ",\n    \"Source\": ");
	text_json(ret, source.failed ? "" : source.bytes);
	text_printf(ret, "\n  }");
	text_fini(&what);
	text_fini(&source);
}

/* Of tens of thousands of ids most respond to nothing, and need not be looked for in a long list. */
static bool *find_evident(const struct findings *findings)
{
	bool *is_evident = calloc(findings->ids.n + 1, sizeof(*is_evident));

	for (size_t i = 0; is_evident && i < findings->n; i++)
		if (is_evidence(findings, &findings->finding[i]))
			is_evident[ids_find(&findings->ids, findings->finding[i].id)] = true;
	return is_evident;
}

size_t findings_print_events(const struct findings *findings, struct text *ret)
{
	AUTO_FREE bool *is_evident = find_evident(findings);
	size_t n = 0;

	ret->failed |= !is_evident;
	text_printf(ret, "[\n");
	for (size_t i = 0; is_evident && i < findings->ids.n; i++) {
		if (!is_evident[i] || is_known(findings, i))
			continue;
		text_printf(ret, "%s", n++ ? ",\n" : "");
		print_event(findings, i, plainest(findings, findings->ids.id[i]), ret);
	}
	text_printf(ret, "%s]\n", n ? "\n" : "");
	return n;
}
