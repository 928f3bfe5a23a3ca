/* Event files of what was found: for ids that nobody has named yet. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "discover/findings/file.h"
#include "discover/ids/raw_id.h"

enum { EVIDENCE_MAX = 8 }; /* kernels that a description names */

enum evidence { EVIDENCE_NONE, EVIDENCE_UNSURE, EVIDENCE_THERE };

/* What the operating system counts is not the same on another machine. */
static bool is_of_system(const struct findings *findings, unsigned type)
{
	return strcmp(findings->type[type].pmu, "software") == 0;
}

/* One kernel alone does not tell an id of time from one of work for certain. */
static enum evidence evidence_of(const struct findings *findings, const struct finding *finding)
{
	size_t place = (size_t)ids_find(&findings->ids, finding->id);

	if (!finding_responds(finding) || is_of_system(findings, finding->type))
		return EVIDENCE_NONE;
	if (!finding_is_of_time(finding))
		return EVIDENCE_THERE;
	return findings_of_id(findings, finding->type, place)->n_telling > 1 ? EVIDENCE_THERE
									     : EVIDENCE_UNSURE;
}

static bool is_evidence(const struct findings *findings, const struct finding *finding)
{
	return evidence_of(findings, finding) == EVIDENCE_THERE;
}

static bool is_known(const struct findings *findings, size_t place)
{
	for (unsigned type = 0; type < findings->n_types; type++)
		if (findings_of_id(findings, type, place)->is_known)
			return true;
	return false;
}

/* What an id responds to by a factor is told before time, and time before what is only related. */
static unsigned rank(const struct finding *finding)
{
	if (finding->estimate.verdict == VERDICT_CONSISTENT)
		return 0;
	return finding_is_of_time(finding) ? 1 : 2;
}

/* One per trigger says more than any other factor; then the narrower interval. */
static bool is_plainer(const struct finding *a, const struct finding *b)
{
	const struct estimate *x = &a->estimate, *y = &b->estimate;
	bool x_is_one = x->k == 1, y_is_one = y->k == 1;

	if (rank(a) != rank(b))
		return rank(a) < rank(b);
	if (x_is_one != y_is_one)
		return x_is_one;
	return (x->high - x->low) / fabs(x->slope) < (y->high - y->low) / fabs(y->slope);
}

/* @id  of which there is evidence */
static const struct finding *plainest(const struct findings *findings, uint64_t id)
{
	const struct finding *best = NULL;

	for (size_t i = 0; i < findings->n; i++) {
		const struct finding *finding = &findings->finding[i];

		if (finding->id == id && is_evidence(findings, finding) &&
		    (!best || is_plainer(finding, best)))
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
	const char *kernel = finding_is_of_time(finding)
				     ? estimate_verdict_name(finding->estimate.verdict)
				     : findings->kernel[finding->kernel];

	text_printf(ret, "    \"EventName\": \"UNKNOWN_%02" PRIX64 "_", finding->id);
	for (; *kernel; kernel++)
		text_printf(ret, "%c", isalnum((unsigned char)*kernel) ? *kernel : '_');
	text_printf(ret, "\"");
}

static void print_response(const struct findings *findings, const struct finding *finding,
			   struct text *ret)
{
	const struct estimate *e = &finding->estimate;
	const char *type = findings->type[finding->type].name;

	if (e->verdict == VERDICT_CONSISTENT)
		text_printf(ret, "%s %g on %s (%.6g to %.6g)", findings->kernel[finding->kernel],
			    e->k, type, e->low, e->high);
	else
		text_printf(ret, "~%s %.6g to %.6g on %s", findings->kernel[finding->kernel],
			    e->low, e->high, type);
}

/* Of one rank: factors, or what is only related. @n  that were told; @return with these */
static unsigned print_responses(const struct findings *findings, uint64_t id, unsigned of_rank,
				unsigned n, struct text *ret)
{
	for (size_t i = 0; i < findings->n; i++) {
		const struct finding *finding = &findings->finding[i];

		if (finding->id != id || !is_evidence(findings, finding) ||
		    rank(finding) != of_rank || n++ >= EVIDENCE_MAX)
			continue;
		text_printf(ret, n > 1 ? ", " : "Counts per trigger: ");
		print_response(findings, finding, ret);
	}
	return n;
}

/* "always 0.25 per cycle on E, 0.5 per ns on P" */
static void print_paces(const struct findings *findings, size_t place, struct text *ret)
{
	const char *before = ret->n ? "; always" : "Always";

	for (unsigned type = 0; type < findings->n_types; type++) {
		const struct findings_id *of_id = findings_of_id(findings, type, place);
		char pace[48];

		if (is_of_system(findings, type) || !*findings_pace_text(of_id, pace, sizeof(pace)))
			continue;
		text_printf(ret, "%s %s on %s", before, pace, findings->type[type].name);
		before = ",";
	}
}

static void print_evidence(const struct findings *findings, size_t place, struct text *ret)
{
	uint64_t id = findings->ids.id[place];
	unsigned n = print_responses(findings, id, 0, 0, ret);

	n = print_responses(findings, id, 2, n, ret);
	if (n > EVIDENCE_MAX)
		text_printf(ret, " and %u more", n - EVIDENCE_MAX);
	print_paces(findings, place, ret);
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

	print_evidence(findings, place, &what);
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
static enum evidence *weigh_evidence(const struct findings *findings)
{
	enum evidence *evidence = calloc(findings->ids.n + 1, sizeof(*evidence));

	for (size_t i = 0; evidence && i < findings->n; i++) {
		const struct finding *finding = &findings->finding[i];
		long place = ids_find(&findings->ids, finding->id);
		enum evidence of_one = evidence_of(findings, finding);

		if (of_one > evidence[place])
			evidence[place] = of_one;
	}
	return evidence;
}

static void count(const struct finding *finding, struct findings_events *ret)
{
	unsigned *const by_rank[] = { &ret->n_factors, &ret->n_time, &ret->n_related };

	++*by_rank[rank(finding)];
}

void findings_print_events(const struct findings *findings, struct text *ret,
			   struct findings_events *ret_events)
{
	AUTO_FREE enum evidence *evidence = weigh_evidence(findings);
	struct findings_events events = { 0 };
	const char *before = "\n";

	ret->failed |= !evidence;
	text_printf(ret, "[");
	for (size_t i = 0; evidence && i < findings->ids.n; i++) {
		const struct finding *finding;

		if (!evidence[i] || is_known(findings, i))
			continue;
		if (evidence[i] == EVIDENCE_UNSURE) {
			events.n_unsure++;
			continue;
		}
		finding = plainest(findings, findings->ids.id[i]);
		text_printf(ret, "%s", before);
		print_event(findings, i, finding, ret);
		count(finding, &events);
		before = ",\n";
	}
	text_printf(ret, "\n]\n");
	*ret_events = events;
}
