/* compile.c: from an expression to a program: what names mean, and packing what is used */
#include "metrics/expr/compile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "metrics/expr/input.h"

int metric_compiler_node(struct metric_compiler *compiler, int node)
{
	if (node == -E2BIG)
		return err_set(compiler->err, E2BIG, "the metric is too long");
	if (node == -ENOMEM)
		return err_set(compiler->err, ENOMEM, "out of memory");
	return node;
}

static int input_number(struct metric_compiler *compiler, const char *name)
{
	size_t n = compiler->n_inputs;

	for (size_t i = 0; i < n; i++) {
		if (strcmp(compiler->input[i], name) == 0)
			return (int)i;
	}
	if (n == NODES_MAX)
		return -E2BIG;

	int rc = array_append_text(&compiler->input, &compiler->cap_inputs, &compiler->n_inputs,
				   name);

	return rc ? rc : (int)n;
}

static int measured(struct metric_compiler *compiler, enum metric_op op, const char *name)
{
	if (metric_wanted_of(name).is_latency)
		return err_set(compiler->err, ENOTSUP,
			       "%s: modifier R is a latency, and no counter counts latencies",
			       name);

	int input = input_number(compiler, name);

	if (input >= 0)
		input = metric_node_measured(&compiler->nodes, op, (unsigned)input);
	return metric_compiler_node(compiler, input);
}

/* @return its number among those used, -errno */
static int use_metric(struct metric_compiler *compiler, const char *name)
{
	size_t n = compiler->n_used;

	for (size_t i = 0; i < n; i++) {
		if (strcmp(compiler->used[i].name, name) == 0)
			return (int)i;
	}
	if (array_reserve((void **)&compiler->used, &compiler->cap_used, n,
			  sizeof(*compiler->used)))
		return -ENOMEM;
	compiler->used[n] = (struct metric_used){ .name = strdup(name), .node = -1 };
	if (!compiler->used[n].name)
		return -ENOMEM;
	return (int)compiler->n_used++;
}

static int parse_metric(struct metric_compiler *compiler, const char *name, const char *expr)
{
	int i = use_metric(compiler, name);

	if (i < 0)
		return metric_compiler_node(compiler, i);
	if (compiler->used[i].is_open)
		return err_set(compiler->err, ELOOP, "metric \"%s\" uses itself", name);
	if (compiler->used[i].node >= 0)
		return compiler->used[i].node;
	if (compiler->depth == METRICS_DEEP_MAX)
		return err_set(compiler->err, E2BIG, "more than %d metrics within metrics",
			       METRICS_DEEP_MAX);
	compiler->used[i].is_open = true;
	compiler->depth++;

	int node = metric_parse(compiler, expr);

	if (node == -EINVAL) /* a column of that expression */
		err_prefix(compiler->err, EINVAL, "%s: ", name);
	compiler->depth--;
	compiler->used[i].is_open = false;
	compiler->used[i].node = node;
	return node;
}

int metric_compiler_name(struct metric_compiler *compiler, const char *name)
{
	const struct metric_context *context = compiler->context;

	if (strcmp(name, "duration_time") == 0)
		return metric_compiler_node(
			compiler, metric_node_measured(&compiler->nodes, METRIC_SECONDS, 0));

	const char *expr = context->metric ? context->metric(context->data, name) : NULL;

	return expr ? parse_metric(compiler, name, expr) : measured(compiler, METRIC_INPUT, name);
}

int metric_compiler_sources(struct metric_compiler *compiler, const char *name)
{
	return measured(compiler, METRIC_SOURCES, name);
}

static int truth(struct metric_compiler *compiler, bool is_true)
{
	return metric_compiler_node(compiler, metric_node_number(&compiler->nodes, is_true));
}

int metric_compiler_has_event(struct metric_compiler *compiler, const char *name)
{
	const struct metric_context *context = compiler->context;

	return truth(compiler, context->has_event && context->has_event(context->data, name));
}

int metric_compiler_is_cpu(struct metric_compiler *compiler, const char *name)
{
	const struct metric_context *context = compiler->context;

	if (!context->is_cpu)
		return err_set(compiler->err, EINVAL,
			       "strcmp_cpuid_str(%s): the CPU id is not known", name);
	return truth(compiler, context->is_cpu(context->data, name));
}

bool metric_compiler_literal(const struct metric_compiler *compiler, const char *name, double *ret)
{
	const struct metric_context *context = compiler->context;

	return context->literal && context->literal(context->data, name, ret) == 0;
}

/* What the result needs: `keep` gets each such node's new number + 1. @return how many */
static size_t mark(const struct metric_nodes *nodes, int root, uint16_t *keep)
{
	size_t n = 0;

	keep[root] = 1;
	for (int i = root; i >= 0; i--) {
		const struct metric_step *step = &nodes->node[i].step;
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
	return op == METRIC_INPUT || op == METRIC_SOURCES;
}

/* The same for inputs. @ret_bytes  what their names take */
static size_t mark_inputs(const struct metric_compiler *compiler, int root,
			  const uint16_t *keep_node, uint16_t *keep, size_t *ret_bytes)
{
	size_t n = 0;

	*ret_bytes = 0;
	for (int i = 0; i <= root; i++) {
		const struct metric_step *step = &compiler->nodes.node[i].step;

		if (!keep_node[i] || !is_input(step->op) || keep[step->a])
			continue;
		keep[step->a] = (uint16_t)++n;
		*ret_bytes += strlen(compiler->input[step->a]) + 1;
	}
	return n;
}

/* Where nodes and inputs go: new number + 1, 0 for those that are left out. */
struct operation_plan {
	uint16_t node[NODES_MAX], input[NODES_MAX];
	size_t n_nodes, n_inputs, n_bytes;
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

static void pack_inputs(const struct metric_compiler *compiler, const struct operation_plan *plan,
			struct metric_program *program)
{
	char *name;

	program->input = (const char **)(program->step + program->n_steps);
	name = (char *)(program->input + program->n_inputs);
	for (size_t i = 0; i < compiler->n_inputs; i++) {
		size_t size = strlen(compiler->input[i]) + 1;

		if (!plan->input[i])
			continue;
		program->input[plan->input[i] - 1] = memcpy(name, compiler->input[i], size);
		name += size;
	}
}

static struct metric_program *pack(const struct metric_compiler *compiler, int root,
				   const struct operation_plan *plan)
{
	struct metric_program *program =
		malloc(sizeof(*program) + plan->n_nodes * sizeof(program->step[0]) +
		       plan->n_inputs * sizeof(program->input[0]) + plan->n_bytes);

	if (!program)
		return NULL;
	*program = (struct metric_program){ .n_steps = (uint16_t)plan->n_nodes,
					    .n_inputs = (uint16_t)plan->n_inputs };
	for (int i = 0; i <= root; i++) {
		const struct metric_step *step = &compiler->nodes.node[i].step;

		if (!plan->node[i])
			continue;
		program->step[plan->node[i] - 1] = packed(step, plan);
		program->n_sources = (uint16_t)(program->n_sources + (step->op == METRIC_SOURCES));
	}
	pack_inputs(compiler, plan, program);
	return program;
}

static int finish(const struct metric_compiler *compiler, int root, struct metric_program **ret)
{
	struct operation_plan *plan = calloc(1, sizeof(*plan));
	struct metric_program *program;

	if (!plan)
		return err_set(compiler->err, ENOMEM, "out of memory");
	plan->n_nodes = mark(&compiler->nodes, root, plan->node);
	plan->n_inputs = mark_inputs(compiler, root, plan->node, plan->input, &plan->n_bytes);
	if (plan->n_nodes > METRIC_STEPS_MAX || plan->n_inputs > METRIC_INPUTS_MAX) {
		int rc = err_set(
			compiler->err, E2BIG,
			"the metric takes %zu steps and %zu events; the limits are %d and %d",
			plan->n_nodes, plan->n_inputs, METRIC_STEPS_MAX, METRIC_INPUTS_MAX);

		free(plan);
		return rc;
	}
	program = pack(compiler, root, plan);
	free(plan);
	if (!program)
		return err_set(compiler->err, ENOMEM, "out of memory");
	*ret = program;
	return 0;
}

int metric_compile(const char *expr, const struct metric_context *context,
		   struct metric_program **ret, struct err *err)
{
	static const struct metric_context nothing = { .runtime = 0 };
	struct metric_compiler compiler = { .context = context ? context : &nothing, .err = err };

	metric_nodes_init(&compiler.nodes);

	int root = metric_parse(&compiler, expr);
	int rc = root < 0 ? root : finish(&compiler, root, ret);

	metric_nodes_fini(&compiler.nodes);
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
	free(program);
}

const char *metric_input(const struct metric_program *program, unsigned n)
{
	return n < program->n_inputs ? program->input[n] : NULL;
}
