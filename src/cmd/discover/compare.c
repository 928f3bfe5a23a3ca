/* m1top discover compare A B: print the differences of two reports; exit status as diff. */
#include "cmd/discover/discover.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/rights.h"
#include "cmd/shared/setup.h"
#include "cmd/shared/standard_output.h"

static int check_options(const struct options *options, struct err *err)
{
	static const char *const allowed[] = { "output", "force", "json" };

	for (const struct option_row *row = option_table; row->name; row++) {
		bool is_allowed = !options->is_given[row - option_table];

		for (size_t i = 0; i < ARRAY_SIZE(allowed); i++)
			is_allowed |= strcmp(row->name, allowed[i]) == 0;
		if (!is_allowed)
			return err_set(err, EINVAL,
				       "discover compare: --%s is only for sweeps; compare accepts "
				       "-j, -o and --force",
				       row->name);
	}
	if (options->n_words != 3)
		return err_set(err, EINVAL, "discover compare: needs two reports");
	return 0;
}

/* ---- JSON ---- */

static void print_report(const char *name, const char *path, const struct findings *findings,
			 const struct json *json)
{
	const struct json line = { json->out, " ", json->colon };

	json_begin(json, name, "{");
	json_text(&line, "file", path);
	json_text(&line, "model", findings->machine.model);
	json_text(&line, "kernel", findings->machine.kernel);
	json_text(&line, "date", findings->machine.date);
	json_end(&line, "}");
}

static void print_json_side(const struct findings_difference *difference, unsigned side,
			    const struct json *json)
{
	const struct estimate *e = &difference->of[side];
	const char *name = side ? "b" : "a";

	if (!difference->kernel) {
		json_begin(json, name, "[");
		findings_print_counters(difference->counters[side], ", ", json->out);
		json_end(json, "]");
		return;
	}
	json_begin(json, name, "{");
	json_text(json, "verdict", estimate_verdict_name(e->verdict));
	json_number(json, "k", 15, e->k);
	json_number(json, "slope", 15, e->slope);
	json_number(json, "low", 15, e->low);
	json_number(json, "high", 15, e->high);
	json_end(json, "}");
}

static void print_difference(const struct findings *a, const struct findings_difference *difference,
			     const struct json *json)
{
	const struct findings_id *of_id =
		findings_of_id(a, difference->type[0], (size_t)ids_find(&a->ids, difference->id));

	json_begin(json, NULL, "\n    {");
	json_text(json, "type", a->type[difference->type[0]].name);
	json_printf(json, "id", "\"0x%02" PRIx64 "\"", difference->id);
	json_text(json, "name", of_id->is_known ? of_id->label : NULL);
	json_text(json, "kernel", difference->kernel);
	print_json_side(difference, 0, json);
	print_json_side(difference, 1, json);
	json_end(json, "}");
}

static void compare_print_json(const struct options *options, const struct findings *of,
			       const struct findings_comparison *compared, struct text *ret)
{
	const struct json json = { ret, "\n  ", ": " }, line = { ret, " ", ": " };

	json_begin(&line, NULL, "{");
	print_report("a", options->word[1], &of[0], &json);
	print_report("b", options->word[2], &of[1], &json);
	json_u64(&json, "compared", compared->n_compared);
	json_u64(&json, "same", compared->n_same);
	json_text(&json, "apart", compared->apart);
	json_begin(&json, "differences", "[");
	for (size_t i = 0; i < compared->n; i++)
		print_difference(&of[0], &compared->difference[i], &line);
	json_end(&json, compared->n ? "\n  ]\n}\n" : "]\n}\n");
}

/* ---- text ---- */

static void print_text_side(const struct findings_difference *difference, unsigned side,
			    struct text *ret)
{
	const struct estimate *e = &difference->of[side];
	char text[64], verdict[32];

	if (!difference->kernel)
		counters_text(difference->counters[side], text, sizeof(text));
	else if (e->verdict == VERDICT_RELATED)
		snprintf(text, sizeof(text), "related %.3g", e->slope);
	else
		snprintf(text, sizeof(text), "%s",
			 discover_verdict_text(e, verdict, sizeof(verdict)));
	text_printf(ret, side ? " %s\n" : " %-16s", text);
}

static void print_comparison(const struct findings *of, const struct findings_comparison *compared,
			     struct text *ret)
{
	for (unsigned i = 0; i < 2; i++)
		text_printf(ret, "%c: %s, %s, %s\n", "AB"[i], of[i].machine.model,
			    of[i].machine.kernel, of[i].machine.date);
	if (compared->n)
		text_printf(ret, "%-5s %-6s %-28s %-22s %-16s %s\n", "TYPE", "ID", "NAME", "KERNEL",
			    "A", "B");
	for (size_t i = 0; i < compared->n; i++) {
		const struct findings_difference *difference = &compared->difference[i];
		const struct findings_id *of_id = findings_of_id(
			&of[0], difference->type[0], (size_t)ids_find(&of[0].ids, difference->id));
		char id[24];

		snprintf(id, sizeof(id), "0x%02" PRIx64, difference->id);
		text_printf(ret, "%-5s %-6s %-28s %-22s", of[0].type[difference->type[0]].name, id,
			    of_id->is_known ? of_id->label : "-",
			    difference->kernel ? difference->kernel : "(counters)");
		print_text_side(difference, 0, ret);
		print_text_side(difference, 1, ret);
	}
	text_printf(ret, "%zu answers in both: %zu agree, %zu differ\n", compared->n_compared,
		    compared->n_same, compared->n);
	if (compared->apart)
		text_printf(ret, "the kernel %s differs between them and was not compared\n",
			    compared->apart);
}

/* ---- output ---- */

static int compare_print(const struct options *options, const struct findings *of,
			 const struct findings_comparison *compared, struct err *err)
{
	struct text text = { 0 };
	struct sink *sink;
	int rc = output_open(options->output ? options->output : "-", options->output_mode, &sink,
			     err);

	if (rc)
		return rc;
	if (options->json) {
		compare_print_json(options, of, compared, &text);
	} else {
		sink_show(sink);
		print_comparison(of, compared, &text);
	}
	return output_put(sink, &text, err);
}

static int compare_reports(const struct options *options, bool *ret_differ, struct err *err)
{
	struct findings of[2] = { 0 };
	struct findings_comparison compared = { 0 };
	int rc = check_options(options, err);

	if (!rc)
		rc = setup_keep_rights(options, NULL, RIGHT_FILES, err);
	for (unsigned i = 0; i < 2 && !rc; i++)
		rc = discover_file_read(options->word[1 + i], &of[i], err);
	if (!rc)
		rc = findings_compare(&of[0], &of[1], &compared, err);
	if (!rc)
		rc = compare_print(options, of, &compared, err);
	*ret_differ = compared.n;
	findings_compared_fini(&compared);
	findings_fini(&of[0]);
	findings_fini(&of[1]);
	return rc;
}

int discover_compare(const struct options *options)
{
	enum { SAME, DIFFERENT, TROUBLE }; /* as diff */
	struct err err = { "" };
	bool differ;

	if (compare_reports(options, &differ, &err)) {
		fprintf(stderr, "m1top: %s\n", err.text);
		return TROUBLE;
	}
	return differ ? DIFFERENT : SAME;
}
