/* metric_compile.c: expression to postfix code, by recursive descent; perf's precedence */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "metrics/program.h"

enum { DEPTH_MAX = 32 };

struct parser {
	const char *expr, *at;
	struct metric_program *program;
	struct err *err;
	unsigned depth;
};

static int parse_sum(struct parser *p);

static int fail(struct parser *p, const char *what)
{
	return err_set(p->err, EINVAL, "metric \"%s\", column %td: %s", p->expr,
		       p->at - p->expr + 1, what);
}

static char peek(struct parser *p)
{
	while (isspace((unsigned char)*p->at))
		p->at++;
	return *p->at;
}

static bool accept(struct parser *p, char c)
{
	if (peek(p) != c)
		return false;
	p->at++;
	return true;
}

static int expect(struct parser *p, char c)
{
	const char text[] = { '\'', c,   '\'', ' ', 'i', 's', ' ', 'm',
			      'i',  's', 's',  'i', 'n', 'g', '\0' };

	return accept(p, c) ? 0 : fail(p, text);
}

static int emit(struct parser *p, enum metric_op op, double number, uint8_t input)
{
	struct metric_program *program = p->program;

	if (program->n_code == METRIC_CODE_MAX)
		return err_set(p->err, E2BIG, "metric \"%s\" has more than %d terms", p->expr,
			       METRIC_CODE_MAX);
	program->code[program->n_code++] =
		(struct metric_step){ .number = number, .op = (uint8_t)op, .input = input };
	return 0;
}

static int parse_number(struct parser *p)
{
	char text[64];
	size_t n = strspn(p->at, "0123456789.");

	if (strchr("eE", p->at[n]) && p->at[n]) {
		size_t sign = n + 1 + (strchr("+-", p->at[n + 1]) && p->at[n + 1]);
		size_t digits = strspn(p->at + sign, "0123456789");

		if (digits)
			n = sign + digits;
	}
	if (n >= sizeof(text))
		return fail(p, "number is too long");
	memcpy(text, p->at, n);
	text[n] = '\0';

	double value;

	if (num_parse_double(text, &value))
		return fail(p, "not a number");
	p->at += n;
	return emit(p, METRIC_NUMBER, value, 0);
}

/* perf's symbols: letters, digits, _ . : and anything behind a backslash; @ stands for a slash */
static int lex_name(struct parser *p, char *ret, size_t size)
{
	size_t n = 0;
	const char *at = p->at;

	for (; *at; at++) {
		bool escaped = *at == '\\' && at[1];
		char c = escaped ? *++at : *at;

		if (!escaped && !isalnum((unsigned char)c) && !strchr("_.:@", c))
			break;
		if (n + 1 == size)
			return fail(p, "name is too long");
		ret[n++] = c == '@' && !escaped ? '/' : c;
	}
	ret[n] = '\0';
	p->at = at;
	return 0;
}

static int input_number(struct parser *p, const char *name, uint8_t *ret)
{
	struct metric_program *program = p->program;

	for (uint8_t i = 0; i < program->n_inputs; i++) {
		if (strcmp(program->input[i], name) == 0) {
			*ret = i;
			return 0;
		}
	}
	if (program->n_inputs == METRIC_INPUTS_MAX)
		return err_set(p->err, E2BIG, "metric \"%s\" uses more than %d events", p->expr,
			       METRIC_INPUTS_MAX);
	program->input[program->n_inputs] = strdup(name);
	if (!program->input[program->n_inputs])
		return err_set(p->err, ENOMEM, "out of memory");
	*ret = program->n_inputs++;
	return 0;
}

static const struct {
	const char *name;
	enum metric_op op;
} functions[] = {
	{ "d_ratio", METRIC_D_RATIO },
	{ "min", METRIC_MIN },
	{ "max", METRIC_MAX },
};

static int parse_call(struct parser *p, enum metric_op op)
{
	int rc = parse_sum(p);

	if (!rc)
		rc = expect(p, ',');
	if (!rc)
		rc = parse_sum(p);
	if (!rc)
		rc = expect(p, ')');
	return rc ? rc : emit(p, op, 0, 0);
}

static int parse_name(struct parser *p)
{
	char name[EVENT_NAME_MAX];
	uint8_t input = 0;
	int rc = lex_name(p, name, sizeof(name));

	if (rc)
		return rc;
	if (accept(p, '(')) {
		for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
			if (strcmp(functions[i].name, name) == 0)
				return parse_call(p, functions[i].op);
		}
		return fail(p, "unknown function");
	}
	rc = input_number(p, name, &input);
	return rc ? rc : emit(p, METRIC_INPUT, 0, input);
}

static int parse_factor(struct parser *p)
{
	char c = peek(p);
	int rc;

	if (++p->depth > DEPTH_MAX)
		return fail(p, "nested too deeply");
	if (accept(p, '(')) {
		rc = parse_sum(p);
		rc = rc ? rc : expect(p, ')');
	} else if (accept(p, '-')) {
		rc = parse_factor(p);
		rc = rc ? rc : emit(p, METRIC_NEGATE, 0, 0);
	} else if (isdigit((unsigned char)c) || c == '.') {
		rc = parse_number(p);
	} else if (isalpha((unsigned char)c) || c == '_' || c == '\\') {
		rc = parse_name(p);
	} else {
		rc = fail(p, c ? "expected a number, a name or '('" : "ends too early");
	}
	p->depth--;
	return rc;
}

static int parse_product(struct parser *p)
{
	int rc = parse_factor(p);

	while (!rc && (peek(p) == '*' || peek(p) == '/')) {
		enum metric_op op = *p->at++ == '*' ? METRIC_MULTIPLY : METRIC_DIVIDE;

		rc = parse_factor(p);
		rc = rc ? rc : emit(p, op, 0, 0);
	}
	return rc;
}

static int parse_sum(struct parser *p)
{
	int rc = parse_product(p);

	while (!rc && (peek(p) == '+' || peek(p) == '-')) {
		enum metric_op op = *p->at++ == '+' ? METRIC_ADD : METRIC_SUBTRACT;

		rc = parse_product(p);
		rc = rc ? rc : emit(p, op, 0, 0);
	}
	return rc;
}

int metric_compile(const char *expr, struct metric_program **ret, struct err *err)
{
	struct parser p = { .expr = expr, .at = expr, .err = err };

	p.program = calloc(1, sizeof(*p.program));
	if (!p.program)
		return err_set(err, ENOMEM, "out of memory");

	int rc = parse_sum(&p);

	if (!rc && peek(&p))
		rc = fail(&p, "unexpected text");
	if (rc) {
		metric_program_free(p.program);
		return rc;
	}
	*ret = p.program;
	return 0;
}

void metric_program_free(struct metric_program *program)
{
	if (!program)
		return;
	for (unsigned i = 0; i < program->n_inputs; i++)
		free(program->input[i]);
	free(program);
}

const char *metric_input(const struct metric_program *program, unsigned n)
{
	return n < program->n_inputs ? program->input[n] : NULL;
}
