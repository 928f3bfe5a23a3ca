#include "tui/term/label.h"

#include <stdarg.h>
#include <stdio.h>

struct label label_printf(const char *fmt, ...)
{
	struct label label;
	va_list args;

	va_start(args, fmt);
	vsnprintf(label.text, sizeof(label.text), fmt, args);
	va_end(args);
	return label;
}
