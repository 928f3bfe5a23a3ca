#include "catalog/build.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

bool catalog_row_has(const struct catalog_row *row, enum catalog_field field)
{
	return row->value[field] && row->value[field][0];
}

const char *catalog_keep_text(struct catalog_build *build, const char *text, size_t n)
{
	const char *copy = arena_text(build->arena, text, n);

	build->is_out_of_memory |= !copy;
	return copy ? copy : "";
}

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

int catalog_refuse(struct catalog_build *build, const struct catalog_row *row,
		   enum catalog_field field, const char *why, struct err *err)
{
	const char *name = catalog_fields[field].name;
	const char *event = row->value[FIELD_EVENT_NAME];
	struct err line;

	if (build->is_strict) {
		int r = catalog_problem(build, row, name, err, "%s", why);

		return r ? r : 1;
	}
	err_set(&line, EINVAL, "%s: $[%zu].%s: %s (%s)", row->file, row->item, name, why,
		event ? event : row->value[field]);
	if (array_reserve((void **)&build->refused, &build->cap_refused, build->n_refused,
			  sizeof(*build->refused)))
		return -ENOMEM;
	build->refused[build->n_refused++] = catalog_keep_text(build, line.text, strlen(line.text));
	return 1;
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
	free(build->part);
	free(build->std);
	free(build->refused);
}
