/* name.c: demangling by libiberty; without_symbols.c is built in its place by make WITHOUT=symbols */
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <string.h>

#include "symbols/table/table.h"

/* Longer names stay mangled. Templates have some thousand characters. */
enum { MANGLED_MAX = 4096 };

/* The text that libiberty writes. */
struct demangled {
	char *buf;
	size_t n, size;
	jmp_buf full;
};

/* Take a part. A hostile name of 100 characters stands for a text without end: writing is left when the buffer is
 * full. libiberty holds no memory meanwhile but its stack. */
static void take_part(const char *part, size_t n, void *data)
{
	struct demangled *demangled = data;
	size_t room = demangled->size - 1 - demangled->n;

	if (n) /* else part may be NULL */
		memcpy(demangled->buf + demangled->n, part, n < room ? n : room);
	demangled->n += n < room ? n : room;
	if (n >= room)
		longjmp(demangled->full, 1);
}

const char *symbol_demangle(const char *name, char *buf, size_t size)
{
	struct demangled demangled = { .buf = buf, .size = size };
	bool is_mangled = name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
	int has_name = is_mangled && strlen(name) <= MANGLED_MAX;

	if (has_name && !setjmp(demangled.full)) {
		has_name = rust_demangle_callback(name, DMGL_NO_OPTS, take_part, &demangled);
		if (!has_name) {
			demangled.n = 0;
			has_name = cplus_demangle_v3_callback(name, DMGL_NO_OPTS, take_part,
							      &demangled);
		}
		if (!has_name)
			return name;
	}
	if (!demangled.n)
		return name;
	buf[demangled.n] = '\0';
	return buf;
}
