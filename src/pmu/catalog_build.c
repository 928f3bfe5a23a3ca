#include "pmu/catalog_build.h"

#include <errno.h>
#include <limits.h>
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

const char *catalog_path(char *ret, const char *a, const char *b)
{
	int n = snprintf(ret, PATH_MAX, "%s%s%s", a, a[0] && b[0] ? "/" : "", b);

	if (n < 0 || n >= PATH_MAX)
		ret[0] = '\0';
	return ret;
}

void catalog_build_fini(struct catalog_build *build)
{
	free(build->event);
	free(build->metric);
	free(build->preset);
}
