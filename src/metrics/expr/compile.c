/* compile.c: compile an expression to a program: resolve its names, and pack the nodes in use */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/cleanup.h"
#include "base/hash.h"
#include "base/num.h"
#include "metrics/expr/program.h"

#define DIGITS "0123456789"

/* ---- nodes: equal parts of an expression share one, constant parts are numbers */

enum { NODES_MAX = 8192 };

struct metric_node {
	struct metric_step step; /* operands are indices of earlier nodes */
};

enum { METRICS_DEPTH_MAX = 24 }; /* maximum nesting depth of metrics that use metrics */

/* A metric used by name. */
struct metric_used {
	char *name;
	int node;     /* its result */
	bool is_open; /* being parsed: another use is a cycle */
};

struct metric_compiler {
	const struct metric_context *context;
	struct err *err;
	struct metric_node *node;
	size_t n_nodes, cap_nodes;
	struct hash nodes; /* their numbers */
	char **input;      /* names of inputs by number; some may only have been used by nodes that
	               * folding removed */
	size_t n_inputs, cap_inputs;
	struct metric_used *used;
	size_t n_used, cap_used;
	unsigned depth;
	bool is_shown; /* inputs are scaled to the unit of their columns */
};

static uint64_t number_bits(double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits)); /* bitwise, so that NaN equals itself and -0 differs
	                                       * from 0 */
	return bits;
}

static bool node_is_same(const struct metric_step *x, const struct metric_step *y)
{
	return x->op == y->op && x->a == y->a && x->b == y->b && x->c == y->c &&
	       number_bits(x->number) == number_bits(y->number);
}

static uint64_t hash_of(const struct metric_step *step)
{
	return hash_mix(hash_mix(number_bits(step->number), (uint64_t)step->op << 32 | step->a),
			(uint64_t)step->b << 32 | step->c);
}

/* Find or add a node. @return its index; -ENOMEM, -E2BIG, as those below */
static int node_add(struct metric_compiler *compiler, struct metric_step step)
{
	uint64_t hash = hash_of(&step);
	void *item;

	hash_each(&compiler->nodes, hash, item)
		if (node_is_same(&compiler->node[hash_number(item)].step, &step))
			return (int)hash_number(item);
	if (compiler->n_nodes == NODES_MAX)
		return err_set(compiler->err, E2BIG, "the metric is too long");
	if (array_reserve((void **)&compiler->node, &compiler->cap_nodes, compiler->n_nodes,
			  sizeof(*compiler->node)) ||
	    hash_add(&compiler->nodes, hash, hash_item(compiler->n_nodes)))
		return err_set(compiler->err, ENOMEM, "out of memory");
	compiler->node[compiler->n_nodes] = (struct metric_node){ .step = step };
	return (int)compiler->n_nodes++;
}

static int metric_node_number(struct metric_compiler *compiler, double number)
{
	return node_add(compiler, (struct metric_step){ .op = METRIC_NUMBER, .number = number });
}

/* Add a measured value: METRIC_INPUT, _SHOWN, _SOURCES, _SECONDS. */
static int metric_node_measured(struct metric_compiler *compiler, enum metric_op op, unsigned input)
{
	return node_add(compiler, (struct metric_step){ .op = (uint8_t)op, .a = (uint16_t)input });
}

static bool is_number(const struct metric_compiler *compiler, int i)
{
	return compiler->node[i].step.op == METRIC_NUMBER;
}

/* Get the number of a node; NaN if it is not a number. */
static double node_number_of(const struct metric_compiler *compiler, int i)
{
	return is_number(compiler, i) ? compiler->node[i].step.number : NAN;
}

/* Fold an operation decided by one operand. @return true, with the node or an errno */
static bool fold_half(struct metric_compiler *compiler, enum metric_op op, int a, int b, int *ret)
{
	double x = node_number_of(compiler, a), y = node_number_of(compiler, b);
	bool is_logic = op == METRIC_AND || op == METRIC_OR;
	double decided = is_logic ? metric_apply((uint8_t)op, x, y, NAN) : NAN;

	if (isnan(decided) && !(op == METRIC_DIVIDE && y == 0) &&
	    !(op == METRIC_REMAINDER && fabs(y) < 1))
		return false;
	*ret = metric_node_number(compiler, decided);
	return true;
}

static bool fold_choice(struct metric_compiler *compiler, int a, int b, int c, int *ret)
{
	if (is_number(compiler, b)) {
		double condition = node_number_of(compiler, b);

		*ret = condition == 0     ? c
		       : isnan(condition) ? metric_node_number(compiler, NAN)
					  : a;
		return true;
	}
	*ret = a;
	return a == c && is_number(compiler, a);
}

/*
 * Add an operation. It is folded if its result does not depend on measured values, as in perf: x/0 is undefined, 0 & x
 * is 0, 1 | x is 1, `a if 1 else x` is a, `1 if x else 1` is 1.
 *
 * @a, @b, @c  nodes; those beyond the operation's arity are ignored
 */
static int metric_node_apply(struct metric_compiler *compiler, enum metric_op op, int a, int b,
			     int c)
{
	unsigned arity = metric_op_arity((uint8_t)op);
	int ret;

	b = arity > 1 ? b : a;
	c = arity > 2 ? c : a;
	if (op == METRIC_CHOOSE ? fold_choice(compiler, a, b, c, &ret)
				: fold_half(compiler, op, a, b, &ret))
		return ret;
	if (is_number(compiler, a) && is_number(compiler, b) && is_number(compiler, c))
		return metric_node_number(compiler,
					  metric_apply((uint8_t)op, node_number_of(compiler, a),
						       node_number_of(compiler, b),
						       node_number_of(compiler, c)));

	struct metric_step step = { .op = (uint8_t)op,
				    .a = (uint16_t)a,
				    .b = arity > 1 ? (uint16_t)b : 0,
				    .c = arity > 2 ? (uint16_t)c : 0 };

	return node_add(compiler, step);
}

/* ---- tokens */

enum { METRIC_NAME_MAX = 256 };

enum metric_token {
	TOKEN_END,
	TOKEN_NUMBER,
	TOKEN_NAME,    /* event, metric or function */
	TOKEN_LITERAL, /* "#smt_on" */
	TOKEN_IF,
	TOKEN_ELSE,
	TOKEN_SIGN, /* one character: operator, parenthesis or comma */
};

struct metric_lexer {
	const char *expr, *at; /* `at`: end of the present token */
	const char *start;     /* start of the present token */
	unsigned runtime;      /* replacement for ? in names */
	enum metric_token token;
	char sign;
	double number;
	char name[METRIC_NAME_MAX];
};

/* Report an error at the present token, with its column. @return -EINVAL */
static int metric_lex_fail(const struct metric_lexer *lexer, struct err *err, const char *what)
{
	return err_set(err, EINVAL, "column %td: %s", lexer->start - lexer->expr + 1, what);
}

/* Get the length of a number: 12 1. .5 1.5e-3 */
static size_t number_length(const char *at)
{
	size_t whole = strspn(at, DIGITS), n = whole;

	if (at[n] == '.')
		n += 1 + strspn(at + n + 1, DIGITS);
	if (!whole && n < 2)
		return 0;
	if (at[n] == 'e' || at[n] == 'E') {
		size_t sign = at[n + 1] == '-' || at[n + 1] == '+';
		size_t digits = strspn(at + n + 1 + sign, DIGITS);

		if (digits)
			n += 1 + sign + digits;
	}
	return n;
}

static bool in_name(char c)
{
	return ascii_isalnum(c) || (c && strchr("_.:@?", c));
}

static size_t name_length(const char *at)
{
	size_t n = 0;

	for (;;) {
		if (at[n] == '\\' && at[n + 1])
			n += 2;
		else if (in_name(at[n]))
			n++;
		else
			return n;
	}
}

static int compile_take_number(struct metric_lexer *lexer, size_t n, struct err *err)
{
	char text[64];

	if (n >= sizeof(text))
		return metric_lex_fail(lexer, err, "number is too long");
	memcpy(text, lexer->start, n);
	text[n] = '\0';
	if (num_parse_double(text, &lexer->number))
		return metric_lex_fail(lexer, err, "not a number");
	lexer->token = TOKEN_NUMBER;
	return 0;
}

static int compile_take_name(struct metric_lexer *lexer, size_t n, struct err *err)
{
	size_t used = 0;

	for (const char *at = lexer->start; at < lexer->start + n; at++) {
		char *to = lexer->name + used;
		size_t room = sizeof(lexer->name) - used;

		if (room < 12) /* longest runtime parameter */
			return metric_lex_fail(lexer, err, "name is too long");
		if (*at == '?') {
			used += (size_t)snprintf(to, room, "%u", lexer->runtime);
			continue;
		}
		*to = *at == '@' ? '/' : *at;
		if (*at == '\\')
			*to = *++at;
		used++;
	}
	lexer->name[used] = '\0';
	if (strspn(lexer->name, DIGITS ".") == used)
		return metric_lex_fail(lexer, err, "not a number");
	lexer->token = strcmp(lexer->name, "if") == 0     ? TOKEN_IF
		       : strcmp(lexer->name, "else") == 0 ? TOKEN_ELSE
							  : TOKEN_NAME;
	return 0;
}

static int take_literal(struct metric_lexer *lexer, size_t n, struct err *err)
{
	if (n == 1)
		return metric_lex_fail(lexer, err, "# does not begin a name");
	if (n >= sizeof(lexer->name))
		return metric_lex_fail(lexer, err, "name is too long");
	memcpy(lexer->name, lexer->start, n);
	lexer->name[n] = '\0';
	lexer->token = TOKEN_LITERAL;
	return 0;
}

/*
 * Read the next token. Names are letters, digits and _ . : @ ? and any character after a backslash; @ becomes a slash.
 * Where both a name and a number match, the longer one is taken, the number if they are equal.
 *
 * @return 0 or -EINVAL with the column
 */
static int metric_lex(struct metric_lexer *lexer, struct err *err)
{
	while (ascii_isspace(*lexer->at))
		lexer->at++;
	lexer->start = lexer->at;

	size_t number = number_length(lexer->at), name = name_length(lexer->at);
	size_t literal = *lexer->at == '#' ? 1 + name_length(lexer->at + 1) : 0;

	lexer->at += literal ? literal : number > name ? number : name;
	if (literal)
		return take_literal(lexer, literal, err);
	if (number && number >= name)
		return compile_take_number(lexer, number, err);
	if (name)
		return compile_take_name(lexer, name, err);
	lexer->sign = *lexer->at;
	lexer->token = *lexer->at ? TOKEN_SIGN : TOKEN_END;
	lexer->at += *lexer->at != '\0';
	return 0;
}

/* ---- names */

static int metric_parse(struct metric_compiler *compiler, const char *expr);

static int input_number(struct metric_compiler *compiler, const char *name)
{
	size_t n = compiler->n_inputs;

	for (size_t i = 0; i < n; i++) {
		if (strcmp(compiler->input[i], name) == 0)
			return (int)i;
	}
	if (n == NODES_MAX)
		return err_set(compiler->err, E2BIG, "the metric is too long");

	int rc = array_append_text(&compiler->input, &compiler->cap_inputs, &compiler->n_inputs,
				   name);

	return rc ? err_set(compiler->err, ENOMEM, "out of memory") : (int)n;
}

static void take_modifiers(const char *modifiers, struct metric_wanted *ret)
{
	bool user = strchr(modifiers, 'u'), kernel = strchr(modifiers, 'k');

	ret->has_privilege = user || kernel;
	ret->is_latency = strchr(modifiers, 'R');
	ret->privilege = user == kernel ? PRIVILEGE_BOTH : user ? PRIVILEGE_USER : PRIVILEGE_KERNEL;
}

struct metric_wanted metric_wanted_of(const char *input)
{
	struct metric_wanted ret = { .pmu = "" };
	const char *slash = strchr(input, '/'), *end = slash ? strchr(slash + 1, '/') : NULL;
	const char *colon = strrchr(input, ':');
	size_t n = strlen(input);

	if (end) {
		snprintf(ret.pmu, sizeof(ret.pmu), "%.*s", (int)(slash - input), input);
		snprintf(ret.what, sizeof(ret.what), "%.*s", (int)(end - slash - 1), slash + 1);
		take_modifiers(end + 1, &ret);
		return ret;
	}
	if (colon && colon[1] && strspn(colon + 1, "ukpPHGRDS") == strlen(colon + 1)) {
		take_modifiers(colon + 1, &ret);
		n = (size_t)(colon - input);
	}
	snprintf(ret.what, sizeof(ret.what), "%.*s", (int)n, input);
	return ret;
}

static int measured(struct metric_compiler *compiler, enum metric_op op, const char *name)
{
	if (metric_wanted_of(name).is_latency)
		return err_set(compiler->err, ENOTSUP,
			       "%s: modifier R is a latency, and no counter counts latencies",
			       name);

	int input = input_number(compiler, name);

	return input < 0 ? input : metric_node_measured(compiler, op, (unsigned)input);
}

/* @return index in `used`; -errno */
static int use_metric(struct metric_compiler *compiler, const char *name)
{
	size_t n = compiler->n_used;

	for (size_t i = 0; i < n; i++) {
		if (strcmp(compiler->used[i].name, name) == 0)
			return (int)i;
	}
	if (array_reserve((void **)&compiler->used, &compiler->cap_used, n,
			  sizeof(*compiler->used)))
		return err_set(compiler->err, ENOMEM, "out of memory");
	compiler->used[n] = (struct metric_used){ .name = strdup(name), .node = -1 };
	if (!compiler->used[n].name)
		return err_set(compiler->err, ENOMEM, "out of memory");
	return (int)compiler->n_used++;
}

static bool compile_is_shown(const struct metric_context *context, const char *metric)
{
	return context->is_shown && context->is_shown(context->data, metric);
}

static int parse_metric(struct metric_compiler *compiler, const char *name, const char *expr)
{
	int i = use_metric(compiler, name);

	if (i < 0)
		return i;
	if (compiler->used[i].is_open)
		return err_set(compiler->err, ELOOP, "metric \"%s\" uses itself", name);
	if (compiler->used[i].node >= 0)
		return compiler->used[i].node;
	if (compiler->depth == METRICS_DEPTH_MAX)
		return err_set(compiler->err, E2BIG, "more than %d metrics within metrics",
			       METRICS_DEPTH_MAX);
	compiler->used[i].is_open = true;
	compiler->depth++;

	bool outer = compiler->is_shown;

	compiler->is_shown = outer && compile_is_shown(compiler->context, name);

	int node = metric_parse(compiler, expr);

	compiler->is_shown = outer;
	if (node == -EINVAL) /* a column of that expression */
		err_prefix(compiler->err, EINVAL, "%s: ", name);
	compiler->depth--;
	compiler->used[i].is_open = false;
	compiler->used[i].node = node;
	return node;
}

/* Resolve a name: the window's length, a metric's result, or an event. @return a node or -errno */
static int metric_compiler_name(struct metric_compiler *compiler, const char *name)
{
	const struct metric_context *context = compiler->context;

	if (strcmp(name, "duration_time") == 0)
		return metric_node_measured(compiler, METRIC_SECONDS, 0);

	const char *expr = context->metric ? context->metric(context->data, name) : NULL;

	if (expr)
		return parse_metric(compiler, name, expr);
	return measured(compiler, compiler->is_shown ? METRIC_SHOWN : METRIC_INPUT, name);
}

/* Compile source_count(NAME). @return a node or -errno */
static int metric_compiler_sources(struct metric_compiler *compiler, const char *name)
{
	return measured(compiler, METRIC_SOURCES, name);
}

/* Compile has_event(NAME). @return a node or -errno */
static int metric_compiler_has_event(struct metric_compiler *compiler, const char *name)
{
	const struct metric_context *context = compiler->context;

	return metric_node_number(compiler,
				  context->has_event && context->has_event(context->data, name));
}

/* Compile strcmp_cpuid_str(NAME). @return a node or -errno */
static int metric_compiler_is_cpu(struct metric_compiler *compiler, const char *name)
{
	const struct metric_context *context = compiler->context;

	if (!context->is_cpu)
		return err_set(compiler->err, EINVAL,
			       "strcmp_cpuid_str(%s): the CPU id is not known", name);
	return metric_node_number(compiler, context->is_cpu(context->data, name));
}

/* ---- recursive descent parser for perf's grammar (Linux tools/perf/util/expr.y)
 *
 * All parse_… functions return a node or -errno. */

enum { DEPTH_MAX = 64 };

struct parser {
	struct metric_lexer lexer;
	struct metric_compiler *compiler;
	unsigned depth;
};

static int parse_choice(struct parser *p);

static int fail(struct parser *p, const char *what)
{
	return metric_lex_fail(&p->lexer, p->compiler->err, what);
}

static int compile_next(struct parser *p)
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
	return is_sign(p, sign) ? compile_next(p) : fail(p, text);
}

static int apply(struct parser *p, enum metric_op op, int a, int b, int c)
{
	return metric_node_apply(p->compiler, op, a, b, c);
}

/* Parse the rest of "(a, b)". */
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

/* Parse the rest of "(NAME)". */
static int parse_question(struct parser *p, size_t i)
{
	if (p->lexer.token != TOKEN_NAME)
		return fail(p, "expected a name");

	int node = questions[i].node(p->compiler, p->lexer.name);
	int rc = node < 0 ? node : compile_next(p);

	rc = rc < 0 ? rc : expect(p, ')');
	return rc < 0 ? rc : node;
}

static int parse_call(struct parser *p, const char *name)
{
	int rc = compile_next(p);

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

	memcpy(name, p->lexer.name, sizeof(name));

	int rc = compile_next(p);

	if (rc)
		return rc;
	if (is_sign(p, '('))
		return parse_call(p, name);
	return metric_compiler_name(p->compiler, name);
}

static int parse_literal(struct parser *p)
{
	const struct metric_context *context = p->compiler->context;
	double value;

	if (!context->literal || context->literal(context->data, p->lexer.name, &value))
		return fail(p, "unknown literal");

	int node = metric_node_number(p->compiler, value);
	int rc = compile_next(p);

	return rc ? rc : node;
}

static int parse_parenthesis(struct parser *p)
{
	int rc = compile_next(p);
	int node = rc ? rc : parse_choice(p);

	rc = node < 0 ? node : expect(p, ')');
	return rc < 0 ? rc : node;
}

static int parse_number(struct parser *p)
{
	int node = metric_node_number(p->compiler, p->lexer.number);
	int rc = compile_next(p);

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

	rc = rc ? rc : compile_next(p);
	rc = rc ? rc : parse_operand(p);
	p->depth--;
	return rc < 0 ? rc : apply(p, METRIC_NEGATE, rc, 0, 0);
}

/* Binary operators in order of increasing precedence, as in perf; all are left-associative. */
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

/* @return index into operators; -1: none of them */
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
		int rc = compile_next(p);
		int b = rc ? rc : parse_operation(p, operators[i].tightness + 1U);

		a = b < 0 ? b : apply(p, operators[i].op, a, b, 0);
	}
	return a;
}

static int parse_rest_of_choice(struct parser *p, int a)
{
	int rc = compile_next(p);
	int b = rc ? rc : parse_operation(p, 1);

	if (b < 0)
		return b;
	if (p->lexer.token != TOKEN_ELSE)
		return fail(p, "'else' is missing");
	rc = compile_next(p);

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

/* Parse a whole expression. @return the node of its result or -errno */
static int metric_parse(struct metric_compiler *compiler, const char *expr)
{
	struct parser p = {
		.lexer = { .expr = expr, .at = expr, .runtime = compiler->context->runtime },
		.compiler = compiler,
	};
	int rc = compile_next(&p);
	int node = rc ? rc : parse_choice(&p);

	if (node >= 0 && p.lexer.token != TOKEN_END)
		return fail(&p, "unexpected text");
	return node;
}

/* ---- the program: the nodes in use */

/* Mark the nodes that the result needs: `keep` gets the new number + 1 of each. @return their number */
static size_t compile_mark(const struct metric_compiler *compiler, int root, uint16_t *keep)
{
	size_t n = 0;

	keep[root] = 1;
	for (int i = root; i >= 0; i--) {
		const struct metric_step *step = &compiler->node[i].step;
		unsigned arity = keep[i] ? metric_op_arity(step->op) : 0;

		if (arity > 0)
			keep[step->a] = 1;
		if (arity > 1)
			keep[step->b] = 1;
		if (arity > 2)
			keep[step->c] = 1;
	}
	for (int i = 0; i <= root; i++) {
		if (keep[i])
			keep[i] = (uint16_t)++n;
	}
	return n;
}

static bool is_input(uint8_t op)
{
	return op == METRIC_INPUT || op == METRIC_SHOWN || op == METRIC_SOURCES;
}

/* Mark inputs likewise. */
static size_t mark_inputs(const struct metric_compiler *compiler, int root,
			  const uint16_t *keep_node, uint16_t *keep)
{
	size_t n = 0;

	for (int i = 0; i <= root; i++) {
		const struct metric_step *step = &compiler->node[i].step;

		if (keep_node[i] && is_input(step->op) && !keep[step->a])
			keep[step->a] = (uint16_t)++n;
	}
	return n;
}

/* New positions of nodes and inputs: number + 1; 0: removed. */
struct operation_plan {
	uint16_t *node, *input;
	size_t n_nodes, n_inputs;
};

static struct metric_step packed(const struct metric_step *step, const struct operation_plan *plan)
{
	struct metric_step ret = *step;
	unsigned arity = metric_op_arity(step->op);

	if (is_input(step->op))
		ret.a = (uint16_t)(plan->input[step->a] - 1);
	if (arity > 0)
		ret.a = (uint16_t)(plan->node[step->a] - 1);
	if (arity > 1)
		ret.b = (uint16_t)(plan->node[step->b] - 1);
	if (arity > 2)
		ret.c = (uint16_t)(plan->node[step->c] - 1);
	return ret;
}

/* Whether a step is an input or a number times an input. */
static bool is_product(const struct metric_step *step, unsigned at, double *ret_by,
		       uint16_t *ret_of)
{
	const struct metric_step *input = &step[at];

	*ret_by = 1;
	if (input->op == METRIC_MULTIPLY) {
		bool is_first = step[input->a].op == METRIC_NUMBER;
		const struct metric_step *number = &step[is_first ? input->a : input->b];

		if (number->op != METRIC_NUMBER)
			return false;
		*ret_by = number->number;
		input = &step[is_first ? input->b : input->a];
	}
	*ret_of = input->a;
	return input->op == METRIC_INPUT;
}

/* Make the program, which takes the names of its inputs from the compiler. */
static struct metric_program *compile_pack(struct metric_compiler *compiler, int root,
					   const struct operation_plan *plan)
{
	struct metric_program *program =
		malloc(sizeof(*program) + plan->n_nodes * sizeof(program->step[0]) +
		       plan->n_inputs * sizeof(program->input[0]));

	if (!program)
		return NULL;
	*program = (struct metric_program){ .n_steps = (uint16_t)plan->n_nodes,
					    .n_inputs = (uint16_t)plan->n_inputs };
	for (int i = 0; i <= root; i++) {
		const struct metric_step *step = &compiler->node[i].step;

		if (!plan->node[i])
			continue;
		program->step[plan->node[i] - 1] = packed(step, plan);
	}

	const struct metric_step *last = &program->step[program->n_steps - 1];

	program->is_ratio = last->op == METRIC_DIVIDE &&
			    is_product(program->step, last->a, &program->by[0], &program->of[0]) &&
			    is_product(program->step, last->b, &program->by[1], &program->of[1]);
	program->input = (char **)(program->step + program->n_steps);
	for (size_t i = 0; i < compiler->n_inputs; i++) {
		if (!plan->input[i])
			continue;
		program->input[plan->input[i] - 1] = compiler->input[i];
		compiler->input[i] = NULL;
	}
	return program;
}

static int plan_too_large(const struct operation_plan *plan, struct err *err)
{
	return err_set(err, E2BIG,
		       "the metric takes %zu steps and %zu events; the limits are %d and %d",
		       plan->n_nodes, plan->n_inputs, METRIC_STEPS_MAX, METRIC_INPUTS_MAX);
}

static int compile_finish(struct metric_compiler *compiler, int root, struct metric_program **ret)
{
	size_t n_nodes = (size_t)root + 1;
	AUTO_FREE uint16_t *place = calloc(n_nodes + compiler->n_inputs, sizeof(*place));
	struct operation_plan plan = { .node = place };

	if (!place)
		return err_set(compiler->err, ENOMEM, "out of memory");
	plan.input = place + n_nodes;
	plan.n_nodes = compile_mark(compiler, root, plan.node);
	plan.n_inputs = mark_inputs(compiler, root, plan.node, plan.input);
	if (plan.n_nodes > METRIC_STEPS_MAX || plan.n_inputs > METRIC_INPUTS_MAX)
		return plan_too_large(&plan, compiler->err);
	*ret = compile_pack(compiler, root, &plan);
	return *ret ? 0 : err_set(compiler->err, ENOMEM, "out of memory");
}

int metric_compile(const char *expr, const struct metric_context *context,
		   struct metric_program **ret, struct err *err)
{
	static const struct metric_context nothing = { .runtime = 0 };
	struct metric_compiler compiler = { .context = context ? context : &nothing, .err = err };

	compiler.is_shown = compile_is_shown(compiler.context, NULL);

	int root = metric_parse(&compiler, expr);
	int rc = root < 0 ? root : compile_finish(&compiler, root, ret);

	free(compiler.node);
	hash_fini(&compiler.nodes);
	for (size_t i = 0; i < compiler.n_inputs; i++)
		free(compiler.input[i]);
	free(compiler.input);
	for (size_t i = 0; i < compiler.n_used; i++)
		free(compiler.used[i].name);
	free(compiler.used);
	return rc;
}

void metric_program_free(struct metric_program *program)
{
	for (unsigned i = 0; program && i < program->n_inputs; i++)
		free(program->input[i]);
	free(program);
}

const char *metric_input(const struct metric_program *program, unsigned n)
{
	return n < program->n_inputs ? program->input[n] : NULL;
}
