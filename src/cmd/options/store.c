/* What becomes of an option's value, by the kind that its row says. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "cmd/options/options.h"

/* A list that grows when its option is repeated. */
static int append(char **list, const char *value, const char *what, struct err *err)
{
	struct text joined = { 0 };

	if (!value[strspn(value, " ,")])
		return err_set(err, EINVAL, "needs at least one %s", what);
	text_printf(&joined, "%s%s%s", *list ? *list : "", *list ? "," : "", value);
	if (joined.failed)
		return err_set(err, ENOMEM, "out of memory");
	free(*list);
	*list = joined.bytes;
	return 0;
}

/* Flags, enums and numbers. */
static void put(void *field, size_t size, uint64_t number)
{
	switch (size) {
	case sizeof(bool): *(bool *)field = number; break;
	case sizeof(unsigned): *(unsigned *)field = (unsigned)number; break;
	default: *(uint64_t *)field = number;
	}
}

/* "64M": k, M and G are powers of 1024, as capital or small letters. @return 0 or -EINVAL */
static int parse_size(const char *value, double *ret)
{
	static const char units[] = "kmg";
	size_t n = strcspn(value, "kmgKMG");
	const char *unit = value[n] ? strchr(units, tolower((unsigned char)value[n])) : NULL;
	char number[32];
	double size;

	snprintf(number, sizeof(number), "%.*s", (int)n, value);
	if (num_parse_double(number, &size) || size < 1 || size > 1e9 || (unit && value[n + 1]))
		return -EINVAL;
	for (size_t i = 0; unit && i <= (size_t)(unit - units); i++)
		size *= 1024;
	*ret = size;
	return 0;
}

static int store_number(const struct option_row *row, void *field, const char *value,
			struct err *err)
{
	uint64_t whole = 0;
	double number = 0;
	int rc;

	switch (row->kind) {
	case OPTION_WHOLE:
		rc = num_parse_u64(value, &whole);
		number = (double)whole;
		break;
	case OPTION_SIZE: rc = parse_size(value, &number); break;
	default: rc = num_parse_double(value, &number);
	}
	if (rc || number < row->least || number > row->most)
		return err_set(err, EINVAL, "%s", row->text);
	if (row->kind == OPTION_REAL)
		*(double *)field = number;
	else if (row->kind == OPTION_WHOLE)
		put(field, row->size, whole * row->unit);
	else if (row->kind == OPTION_DURATION)
		put(field, row->size, (uint64_t)(number * (double)row->unit + 0.5));
	else
		put(field, row->size, (uint64_t)number);
	return 0;
}

int option_store(const struct option_row *row, struct options *options, const char *value,
		 struct err *err)
{
	void *field = (char *)options + row->offset;

	switch (row->kind) {
	case OPTION_SET: return row->set(options, row->text ? row->text : value, err);
	case OPTION_CONSTANT: put(field, row->size, (uint64_t)row->least); return 0;
	case OPTION_LIST: return append(field, value, row->text, err);
	case OPTION_TEXT:
		if (row->text && !*value)
			return err_set(err, EINVAL, "needs %s", row->text);
		*(const char **)field = value;
		return 0;
	default: return store_number(row, field, value, err);
	}
}
