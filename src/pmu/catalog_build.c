#include "pmu/catalog_build.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int catalog_file_problem(struct catalog_build *build, struct err *err, const char *text)
{
	if (!build->problems)
		return err_set(err, EINVAL, "%s", text);
	text_printf(build->problems, "%s\n", text);
	build->n_problems++;
	return 0;
}

int catalog_problem(struct catalog_build *build, const struct catalog_row *row, const char *field,
		    struct err *err, const char *fmt, ...)
{
	struct err what;
	va_list args;

	va_start(args, fmt);
	vsnprintf(what.text, sizeof(what.text), fmt, args);
	va_end(args);
	err_prefix(&what, EINVAL, "%s: $[%zu]%s%s: ", row->file, row->item, field ? "." : "",
		   field ? field : "");
	return catalog_file_problem(build, err, what.text);
}

void catalog_build_fini(struct catalog_build *build)
{
	free(build->event);
	free(build->metric);
	free(build->preset);
}
