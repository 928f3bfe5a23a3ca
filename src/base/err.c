#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#undef err_set /* the macro for the analyzer, in err.h */

int err_set(struct err *err, int code, const char *fmt, ...)
{
	if (err) {
		va_list args;

		va_start(args, fmt);
		vsnprintf(err->text, sizeof(err->text), fmt, args);
		va_end(args);
	}
	return -code;
}

int err_prefix(struct err *err, int code, const char *fmt, ...)
{
	if (err) {
		char rest[sizeof(err->text)];
		va_list args;

		memcpy(rest, err->text, sizeof(rest));
		va_start(args, fmt);
		int used = vsnprintf(err->text, sizeof(err->text), fmt, args);

		va_end(args);
		if (used >= 0 && (size_t)used < sizeof(err->text))
			snprintf(err->text + used, sizeof(err->text) - (size_t)used, "%s", rest);
	}
	return -code;
}
