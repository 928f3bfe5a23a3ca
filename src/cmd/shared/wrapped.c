#include "cmd/shared/wrapped.h"

#include <stdbool.h>
#include <string.h>

enum { WIDTH = 80 };

void wrapped_print(const char *text, size_t column, size_t indent, FILE *out)
{
	bool first = true;

	while (*text) {
		size_t n = strcspn(text, " \n");

		if (!first && column + 1 + n > WIDTH) {
			fprintf(out, "\n%*s", (int)indent, "");
			column = indent;
		} else if (!first) {
			fputc(' ', out);
			column++;
		}
		fprintf(out, "%.*s", (int)n, text);
		column += n;
		text += n;
		first = false;
		if (strncmp(text, "\n\n", 2) == 0) {
			fprintf(out, "\n\n%*s", (int)indent, "");
			column = indent;
			first = true;
		}
		text += strspn(text, " \n");
	}
	fputc('\n', out);
}
