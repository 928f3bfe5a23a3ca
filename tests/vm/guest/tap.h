/* tap.h: what C tests inside the emulated M1 share */
#ifndef GUEST_TAP_H
#define GUEST_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static int n_tests, n_failed;

/** Report a test; the name is a format. */
__attribute__((format(printf, 2, 3))) static inline bool ok(bool good, const char *format, ...)
{
	va_list args;

	n_tests++;
	n_failed += !good;
	printf("%sok %d - ", good ? "" : "not ", n_tests);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
	return good;
}

/** The plan, and the program's exit status. */
static inline int finish(void)
{
	printf("1..%d\n", n_tests);
	return n_failed > 0;
}

#endif
