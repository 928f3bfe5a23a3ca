/* parse.c: perf's grammar by recursive descent (Linux tools/perf/util/expr.y) */
#include <string.h>

#include "metrics/expr/compile.h"

enum { DEPTH_MAX = 64 };

struct parser {
	struct metric_lexer lexer;
	struct metric_compiler *compiler;
	unsigned depth;
};

/* Every parse_… returns a node or -errno. */
static int parse_choice(struct parser *p);

static int fail(struct parser *p, const char *what)
{
	return metric_lex_fail(&p->lexer, p->compiler->err, what);
}

static int next(struct parser *p)
{
	return metric_lex(&p->lexer, p->compiler->err);
}

static bool is_sign(const struct parser *p, char sign)
{
	return p->lexer.token == TOKEN_SIGN && p->lexer.sign == sign;
}

static int expect(struct parser *p, char sign)
{
	char text[] = "'?' is missing";

	text[1] = sign;
	return is_sign(p, sign) ? next(p) : fail(p, text);
}

static int apply(struct parser *p, enum metric_op op, int a, int b, int c)
{
	return metric_compiler_node(p->compiler,
				    metric_node_apply(&p->compiler->nodes, op, a, b, c));
}

static int number(struct parser *p, double value)
{
	return metric_compiler_node(p->compiler, metric_node_number(&p->compiler->nodes, value));
}

/* "(a, b)" */
static int parse_two(struct parser *p, enum metric_op op)
{
	int a = parse_choice(p);
	int rc = a < 0 ? a : expect(p, ',');
	int b = rc < 0 ? rc : parse_choice(p);

	rc = b < 0 ? b : expect(p, ')');
	return rc < 0 ? rc : apply(p, op, a, b, 0);
}

static const struct {
	const char *name;
	enum metric_op op;
} functions[] = {
	{ "d_ratio", METRIC_D_RATIO },
	{ "min", METRIC_MIN },
	{ "max", METRIC_MAX },
};

static const struct {
	const char *name;
	int (*node)(struct metric_compiler *compiler, const char *name);
} questions[] = {
	{ "source_count", metric_compiler_sources },
	{ "has_event", metric_compiler_has_event },
	{ "strcmp_cpuid_str", metric_compiler_is_cpu },
};

/* "(NAME)" */
static int parse_question(struct parser *p, size_t i)
{
	if (p->lexer.token != TOKEN_NAME)
		return fail(p, "expected a name");

	int node = questions[i].node(p->compiler, p->lexer.name);
	int rc = node < 0 ? node : next(p);

	rc = rc < 0 ? rc : expect(p, ')');
	return rc < 0 ? rc : node;
}

static int parse_call(struct parser *p, const char *name)
{
	int rc = next(p);

	if (rc)
		return rc;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		if (strcmp(functions[i].name, name) == 0)
			return parse_two(p, functions[i].op);
	}
	for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
		if (strcmp(questions[i].name, name) == 0)
			return parse_question(p, i);
	}
	return fail(p, "unknown function");
}

static int parse_name(struct parser *p)
{
	char name[METRIC_NAME_MAX];
	int rc;

	memcpy(name, p->lexer.name, sizeof(name));
	rc = next(p);
	if (rc)
		return rc;
	if (is_sign(p, '('))
		return parse_call(p, name);
	return metric_compiler_name(p->compiler, name);
}

static int parse_literal(struct parser *p)
{
	double value;

	if (!metric_compiler_literal(p->compiler, p->lexer.name, &value))
		return fail(p, "unknown literal");

	int node = number(p, value);
	int rc = next(p);

	return rc ? rc : node;
}

static int parse_parenthesis(struct parser *p)
{
	int rc = next(p);
	int node = rc ? rc : parse_choice(p);

	rc = node < 0 ? node : expect(p, ')');
	return rc < 0 ? rc : node;
}

static int parse_number(struct parser *p)
{
	int node = number(p, p->lexer.number);
	int rc = next(p);

	return rc ? rc : node;
}

static int parse_negative(struct parser *p);

static int parse_operand(struct parser *p)
{
	switch (p->lexer.token) {
	case TOKEN_NUMBER: return parse_number(p);
	case TOKEN_NAME: return parse_name(p);
	case TOKEN_LITERAL: return parse_literal(p);
	case TOKEN_END: return fail(p, "ends too early");
	default: break;
	}
	if (is_sign(p, '-'))
		return parse_negative(p);
	if (is_sign(p, '('))
		return parse_parenthesis(p);
	return fail(p, "expected a number, a name or '('");
}

static int enter(struct parser *p)
{
	return ++p->depth > DEPTH_MAX ? fail(p, "nested too deeply") : 0;
}

static int parse_negative(struct parser *p)
{
	int rc = enter(p);

	rc = rc ? rc : next(p);
	rc = rc ? rc : parse_operand(p);
	p->depth--;
	return rc < 0 ? rc : apply(p, METRIC_NEGATE, rc, 0, 0);
}

/* From loose to tight, as in perf; all of them bind to the left. */
static const struct {
	char sign;
	unsigned char tightness;
	enum metric_op op;
} operators[] = {
	{ '|', 1, METRIC_OR },        { '^', 2, METRIC_XOR },      { '&', 3, METRIC_AND },
	{ '<', 4, METRIC_LESS },      { '>', 4, METRIC_GREATER },  { '+', 5, METRIC_ADD },
	{ '-', 5, METRIC_SUBTRACT },  { '*', 6, METRIC_MULTIPLY }, { '/', 6, METRIC_DIVIDE },
	{ '%', 6, METRIC_REMAINDER },
};

/* @return index into operators, -1 */
static int operator_at(const struct parser *p, unsigned tightness)
{
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
		if (is_sign(p, operators[i].sign) && operators[i].tightness >= tightness)
			return (int)i;
	}
	return -1;
}

static int parse_operation(struct parser *p, unsigned tightness)
{
	int a = parse_operand(p), i;

	while (a >= 0 && (i = operator_at(p, tightness)) >= 0) {
		int rc = next(p);
		int b = rc ? rc : parse_operation(p, operators[i].tightness + 1U);

		a = b < 0 ? b : apply(p, operators[i].op, a, b, 0);
	}
	return a;
}

static int parse_rest_of_choice(struct parser *p, int a)
{
	int rc = next(p);
	int b = rc ? rc : parse_operation(p, 1);

	if (b < 0)
		return b;
	if (p->lexer.token != TOKEN_ELSE)
		return fail(p, "'else' is missing");
	rc = next(p);

	int c = rc ? rc : parse_choice(p);

	return c < 0 ? c : apply(p, METRIC_CHOOSE, a, b, c);
}

static int parse_choice(struct parser *p)
{
	int node = enter(p);

	node = node ? node : parse_operation(p, 1);
	if (node >= 0 && p->lexer.token == TOKEN_IF)
		node = parse_rest_of_choice(p, node);
	p->depth--;
	return node;
}

int metric_parse(struct metric_compiler *compiler, const char *expr)
{
	struct parser p = {
		.lexer = { .expr = expr, .at = expr, .runtime = compiler->context->runtime },
		.compiler = compiler,
	};
	int rc = next(&p);
	int node = rc ? rc : parse_choice(&p);

	if (node >= 0 && p.lexer.token != TOKEN_END)
		return fail(&p, "unexpected text");
	return node;
}
