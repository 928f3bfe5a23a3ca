#include "discover/findings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"

const char *const disturbance_name[N_DISTURBANCES] = {
	[UNDISTURBED] = "undisturbed",     [DISTURBED_MIGRATED] = "migrated",
	[DISTURBED_SWITCHED] = "switched", [DISTURBED_INTERRUPTED] = "interrupted",
	[DISTURBED_LOST] = "lost",         [DISTURBED_SLOW] = "slow",
};

const char mask_source_name[][12] = {
	[MASK_UNKNOWN] = "unknown",
	[MASK_BY_COUNTING] = "counting",
	[MASK_BY_DRIVER] = "driver",
};

static size_t n_of_ids(const struct findings *findings)
{
	return findings->n_types * findings->ids.n;
}

int findings_make_room(struct findings *findings)
{
	size_t n = n_of_ids(findings);

	findings->of_id = calloc(n + 1, sizeof(*findings->of_id));
	findings->is_tried = calloc(n * findings->n_kernels + 1, sizeof(*findings->is_tried));
	return findings->of_id && findings->is_tried ? 0 : -ENOMEM;
}

void findings_fini(struct findings *findings)
{
	if (!findings)
		return;
	ids_fini(&findings->ids);
	free(findings->of_id);
	free(findings->is_tried);
	free(findings->finding);
	*findings = (struct findings){ 0 };
}

/* Copy with room for one more, so that NULL always means out of memory. */
static void *report_findings_copy(const void *from, size_t n, size_t size)
{
	void *to = malloc((n + 1) * size);

	if (to && n)
		memcpy(to, from, n * size);
	return to;
}

int findings_copy(const struct findings *from, struct findings *ret)
{
	struct findings made = *from;
	size_t n = n_of_ids(from);

	made.ids.id = report_findings_copy(from->ids.id, from->ids.n, sizeof(*from->ids.id));
	made.of_id = report_findings_copy(from->of_id, n, sizeof(*from->of_id));
	made.is_tried =
		report_findings_copy(from->is_tried, n * from->n_kernels, sizeof(*from->is_tried));
	made.finding = report_findings_copy(from->finding, from->n, sizeof(*from->finding));
	made.cap = from->n;
	if (!made.ids.id || !made.of_id || !made.is_tried || !made.finding) {
		findings_fini(&made);
		return -ENOMEM;
	}
	*ret = made;
	return 0;
}

/* ---- tried estimates ---- */

bool *findings_tried(const struct findings *findings, unsigned type, unsigned kernel)
{
	return &findings->is_tried[(type * findings->n_kernels + kernel) * findings->ids.n];
}

struct findings_id *findings_of_id(const struct findings *findings, unsigned type, size_t place)
{
	return &findings->of_id[type * findings->ids.n + place];
}

int findings_keep(struct findings *findings, const struct finding *finding)
{
	return ARRAY_APPEND(findings->finding, findings->cap, findings->n, *finding);
}

/* Add a finding. Large sweeps keep no unrelated estimates: for 65536 ids they would take hundreds
 * of megabytes. */
int findings_add(struct findings *findings, const struct finding *finding)
{
	bool keeps_all = findings->ids.n <= IDS_COMPLETE_MAX;
	bool is_unknown = finding->estimate.verdict == VERDICT_UNKNOWN;
	long place = ids_find(&findings->ids, finding->id);

	if (is_unknown && !keeps_all)
		return 0;
	if (finding->estimate.p > FINDINGS_RATE && !keeps_all)
		findings->n_left_out++;
	else if (findings_keep(findings, finding))
		return -ENOMEM;
	findings_tried(findings, finding->type, finding->kernel)[place] = true;
	return 0;
}

/* Whether the mask differs from the catalogue's. "Any" there means any choosable counter, without
 * the fixed ones, which the mask omits, too. */
static bool contradicts(const struct findings_id *of_id, uint64_t choosable)
{
	uint64_t known = of_id->catalogue ? of_id->catalogue : choosable;

	return of_id->mask.counters && of_id->is_known && choosable &&
	       (known & choosable) != (of_id->mask.counters & choosable);
}

void findings_set_mask(struct findings *findings, unsigned type, size_t place,
		       const struct mask *mask)
{
	struct findings_id *of_id = findings_of_id(findings, type, place);

	of_id->mask = *mask;
	of_id->is_mask_done = true;
	of_id->is_conflict = contradicts(of_id, findings->type[type].choosable);
}

/* ---- continuing a sweep ---- */

int findings_type_named(const struct findings *findings, const char *name)
{
	for (unsigned i = 0; i < findings->n_types; i++)
		if (strcmp(findings->type[i].name, name) == 0)
			return (int)i;
	return -1;
}

int findings_kernel_named(const struct findings *findings, const char *name)
{
	for (unsigned i = 0; i < findings->n_kernels; i++)
		if (strcmp(findings->kernel[i], name) == 0)
			return (int)i;
	return -1;
}

/* Find the index of the old findings' type and kernel here. @return false if one is missing */
static bool translate(const struct findings *findings, const struct findings *old,
		      unsigned old_type, unsigned old_kernel, unsigned *ret_type,
		      unsigned *ret_kernel)
{
	int type = findings_type_named(findings, old->type[old_type].name);
	int kernel = findings_kernel_named(findings, old->kernel[old_kernel]);

	if (type < 0 || kernel < 0)
		return false;
	*ret_type = (unsigned)type;
	*ret_kernel = (unsigned)kernel;
	return true;
}

static int take_findings(struct findings *findings, const struct findings *old)
{
	int rc = 0;

	for (size_t i = 0; i < old->n && !rc; i++) {
		struct finding finding = old->finding[i];
		long place = ids_find(&findings->ids, finding.id);
		unsigned type, kernel;

		if (place < 0 ||
		    !translate(findings, old, finding.type, finding.kernel, &type, &kernel))
			continue;
		finding.type = (uint16_t)type;
		finding.kernel = (uint16_t)kernel;
		rc = findings_keep(findings, &finding);
		findings_tried(findings, type, kernel)[place] = true;
	}
	return rc;
}

/* Take over notes, and estimates that were made but not kept. */
static void take_tried(struct findings *findings, const struct findings *old, unsigned old_type,
		       unsigned old_kernel)
{
	const bool *was_tried = findings_tried(old, old_type, old_kernel);
	unsigned type, kernel;

	if (!translate(findings, old, old_type, old_kernel, &type, &kernel))
		return;
	memcpy(findings->note[type][kernel], old->note[old_type][old_kernel], KERNEL_NOTE_MAX);
	for (size_t i = 0; i < old->ids.n; i++) {
		long place = ids_find(&findings->ids, old->ids.id[i]);

		if (place < 0 || !was_tried[i] || findings_tried(findings, type, kernel)[place])
			continue;
		findings_tried(findings, type, kernel)[place] = true;
		findings->n_left_out++;
	}
}

static void take_masks(struct findings *findings, const struct findings *old, unsigned old_type)
{
	int type = findings_type_named(findings, old->type[old_type].name);

	for (size_t i = 0; type >= 0 && i < old->ids.n; i++) {
		long place = ids_find(&findings->ids, old->ids.id[i]);
		const struct findings_id *from = findings_of_id(old, old_type, i);

		if (place >= 0 && from->is_mask_done)
			findings_set_mask(findings, (unsigned)type, (size_t)place, &from->mask);
	}
}

static void session_of(const struct findings_machine *machine, struct findings_session *ret)
{
	*ret = (struct findings_session){ 0 };
	memcpy(ret->kernel, machine->kernel, sizeof(ret->kernel));
	memcpy(ret->m1top, machine->m1top, sizeof(ret->m1top));
	memcpy(ret->date, machine->date, sizeof(ret->date));
}

void findings_last_session(const struct findings *findings, struct findings_session *ret)
{
	if (findings->n_sessions)
		*ret = findings->session[findings->n_sessions - 1];
	else
		session_of(&findings->machine, ret);
}

/* Take over the sessions; if there are too many, the previous one is dropped. */
static void take_sessions(struct findings *findings, const struct findings *old)
{
	struct findings_session now, last;

	session_of(&findings->machine, &now);
	now.after_runs = old->n_runs;
	findings_last_session(old, &last);
	memcpy(findings->session, old->session, sizeof(old->session));
	findings->n_sessions = old->n_sessions;
	memcpy(findings->machine.kernel, old->machine.kernel, sizeof(old->machine.kernel));
	memcpy(findings->machine.m1top, old->machine.m1top, sizeof(old->machine.m1top));
	memcpy(findings->machine.date, old->machine.date, sizeof(old->machine.date));
	if (strcmp(now.kernel, last.kernel) == 0 && strcmp(now.m1top, last.m1top) == 0)
		return;
	if (findings->n_sessions == SESSIONS_MAX)
		findings->n_sessions--;
	findings->session[findings->n_sessions++] = now;
}

int findings_take_over(struct findings *findings, const struct findings *old)
{
	int rc = take_findings(findings, old);

	if (rc)
		return rc;
	take_sessions(findings, old);
	for (unsigned type = 0; type < old->n_types; type++) {
		take_masks(findings, old, type);
		for (unsigned kernel = 0; kernel < old->n_kernels; kernel++)
			take_tried(findings, old, type, kernel);
	}
	findings->n_runs = old->n_runs;
	findings->spent_ns = old->spent_ns;
	memcpy(findings->rejected, old->rejected, sizeof(old->rejected));
	return 0;
}

bool finding_responds(const struct finding *finding)
{
	enum verdict verdict = finding->estimate.verdict;

	return verdict == VERDICT_RELATED || verdict == VERDICT_CONSISTENT ||
	       finding_is_of_time(finding);
}

bool finding_is_of_time(const struct finding *finding)
{
	return finding->estimate.verdict == VERDICT_CYCLES ||
	       finding->estimate.verdict == VERDICT_TIME;
}

const char *findings_pace_text(const struct findings_id *of_id, char *buf, size_t size)
{
	buf[0] = '\0';
	if (of_id->per_cycle != 0)
		snprintf(buf, size, "%.3g per cycle", of_id->per_cycle);
	else if (of_id->per_ns != 0)
		snprintf(buf, size, "%.3g per ns", of_id->per_ns);
	return buf;
}

size_t findings_n_responding(const struct findings *findings)
{
	AUTO_FREE bool *responds = calloc(findings->ids.n + 1, sizeof(*responds));
	size_t n = 0;

	for (size_t i = 0; responds && i < findings->n; i++) {
		long place = ids_find(&findings->ids, findings->finding[i].id);

		if (place < 0 || responds[place] || !finding_responds(&findings->finding[i]))
			continue;
		responds[place] = true;
		n++;
	}
	return n;
}
