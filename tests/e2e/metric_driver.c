/* Values of expressions, a line each, for tests that work them out by other means.
 * stdin: "NAME VALUE" lines, an empty line, then expressions; stdout: the value or "undefined". */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "metrics/expression.h"

static struct event event[SLOTS_MAX];
static struct placement placement;
static struct count slot[SLOTS_MAX];

static void evaluate(const char *expr)
{
	struct metric_program *program;
	struct metric_binding binding;
	struct err err = { "" };

	if (metric_compile(expr, NULL, &program, &err)) {
		printf("%s\n", err.text);
		return;
	}
	if (metric_bind(program, &placement, &binding)) {
		struct reading reading = metric_eval(program, &binding, slot);

		if (reading.quality == QUALITY_OK)
			printf("%.17g\n", reading.value);
		else
			printf("%s\n", quality_name(reading.quality));
	} else {
		printf("an input is missing\n");
	}
	metric_program_free(program);
}

static void take_input(const char *line, unsigned n)
{
	size_t length = strcspn(line, " ");
	double value;

	if (n >= SLOTS_MAX || line[length] != ' ' || num_parse_double(line + length + 1, &value))
		exit(2);
	snprintf(event[n].name, sizeof(event[n].name), "%.*s", (int)length, line);
	placement.event[n] = &event[n];
	slot[n] = (struct count){ .value = (uint64_t)value,
				  .enabled_ns = 1000,
				  .running_ns = 1000,
				  .quality = QUALITY_OK };
}

int main(void)
{
	static char line[1 << 20];
	bool is_head = true;

	for (unsigned n = 0; fgets(line, sizeof(line), stdin); n++) {
		line[strcspn(line, "\n")] = '\0';
		if (is_head && *line)
			take_input(line, n);
		else if (!is_head)
			evaluate(line);
		is_head = is_head && *line;
	}
	return 0;
}
