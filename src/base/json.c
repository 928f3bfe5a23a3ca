#include "base/json.h"

#include <math.h>
#include <string.h>

bool json_is_first(const struct text *out)
{
	return !out->n || strchr("{[\n", out->bytes[out->n - 1]);
}

static void json_place(const struct json *json, const char *name, const char *gap)
{
	struct text *out = json->out;
	bool is_first = json_is_first(out);

	if (!is_first)
		text_add(out, ",", 1);
	if (!is_first || *gap != ' ')
		text_string(out, gap);
	if (name) {
		text_json(out, name);
		text_string(out, json->colon);
	}
}

void json_next(const struct json *json, const char *name)
{
	json_place(json, name, json->gap);
}

void json_begin(const struct json *json, const char *name, const char *opening)
{
	json_place(json, name, *opening == '\n' ? "" : json->gap);
	text_string(json->out, opening);
}

void json_end(const struct json *json, const char *closing)
{
	text_string(json->out, closing);
}

void json_text(const struct json *json, const char *name, const char *value)
{
	json_next(json, name);
	text_json(json->out, value);
}

void json_u64(const struct json *json, const char *name, uint64_t value)
{
	json_next(json, name);
	text_u64(json->out, value, 1);
}

void json_bool(const struct json *json, const char *name, bool value)
{
	json_next(json, name);
	text_string(json->out, value ? "true" : "false");
}

void json_number(const struct json *json, const char *name, int digits, double value)
{
	if (isfinite(value))
		json_printf(json, name, "%.*g", digits, value);
	else
		json_text(json, name, NULL);
}

void json_printf(const struct json *json, const char *name, const char *fmt, ...)
{
	va_list args;

	json_next(json, name);
	va_start(args, fmt);
	text_vprintf(json->out, fmt, args);
	va_end(args);
}
