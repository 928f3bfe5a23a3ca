#include "cmd/shared/wrapped.h"

#include "base/text.h"

void wrapped_print(const char *text, size_t column, size_t indent, FILE *out)
{
	struct text wrapped = { 0 };

	text_wrapped(&wrapped, text, column, indent);
	fwrite(wrapped.bytes, 1, wrapped.n, out);
	text_fini(&wrapped);
}
