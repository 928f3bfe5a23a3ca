/* Names of tasks: what they call themselves, and what people and formats see; which task an id means at a
 * time, also where the kernel's records of it were lost. */
#include "rig/harness.h"

#include "sampler/tasks/names.h"

enum { PARENT = 10, TID = 11 };

static int nobody(void *data, uint32_t tid, char *ret_comm)
{
	(void)data, (void)tid, (void)ret_comm;
	return -1;
}

static void names_are_text(void **state)
{
	static const struct {
		const char *comm, *shown;
	} row[] = {
		{ "bash", "bash" },
		{ "", "" },
		{ "tmux: server", "tmux: server" },
		{ "quote\"d, b\\s", "quote\"d, b\\s" },
		{ "15 characters!!", "15 characters!!" },
		{ "new\nline", "new\\012line" },
		{ "\ttab\r\x7f", "\\011tab\\015\\177" },
		{ "\x1b[31mred", "\\033[31mred" },
		{ "\xc3\xbc\xe2\x82\xac", "\xc3\xbc\xe2\x82\xac" },
		{ "\xff\xfe.", "\\377\\376." },
		{ "cut in two \xe2\x82", "cut in two " }, /* as the kernel does after 15 bytes */
		/* NOLINTNEXTLINE(misc-misleading-bidirectional) */
		{ "\xe2\x80\xaeright", "~adef" },
		{ "fourteen chars\x01", "fourteen c~6687" },
		{ "fourteen chars\x02", "fourteen c~387c" },
		{ "\x01\x02\x03\x04", "\\001\\002~1997" },
		{ "a\x01", "a\\001" },
		{ "a\\001", "a\\134001" }, /* another name */
		{ "[idle]", "?idle]" },
		{ "[others]", "?others]" },
		{ "[unattributed]", "?unattributed]" },
		{ "[kworker]", "[kworker]" },
	};
	struct names names = { .ask = nobody };

	(void)state;
	assert_string_equal(names_find(&names, 7, 7, 1)->comm, "[7]");
	for (unsigned i = 0; i < ARRAY_SIZE(row); i++) {
		struct task_note note = { .kind = NOTE_NAME, .pid = 8, .tid = 8, .t_ns = 2 };

		snprintf(note.comm, sizeof(note.comm), "%s", row[i].comm);
		names_take(&names, &note);
		assert_string_equal(names_find(&names, 8, 8, 3)->comm, row[i].shown);
	}
	names_clear(&names);
}

static int ask(void *data, uint32_t tid, char *ret_comm)
{
	(void)tid;
	snprintf(ret_comm, TASK_COMM_SIZE, "%s", (const char *)data);
	return 0;
}

static void take(struct names *names, enum task_note_kind kind, uint32_t tid, uint64_t t_ns)
{
	names_take(names, &(struct task_note){ .kind = kind,
					       .pid = tid,
					       .tid = tid,
					       .parent_pid = PARENT,
					       .parent_tid = PARENT,
					       .t_ns = t_ns,
					       .comm = "exec" });
}

static const struct task_name *find(struct names *names, uint64_t t_ns)
{
	return names_find(names, TID, TID, t_ns);
}

static void exec(struct names *names, uint64_t t_ns, const char *comm)
{
	struct task_note note = {
		.kind = NOTE_NAME, .pid = TID, .tid = TID, .t_ns = t_ns, .is_exec = true
	};

	snprintf(note.comm, sizeof(note.comm), "%s", comm);
	names_take(names, &note);
}

/* Each program that a task becomes is a row; the same once more is none. Of the root what ran before its first. */
static void a_chain_of_programs(void **state)
{
	const struct task_target command = { TARGET_EXEC, TID };

	for (unsigned root = 0; root < 2; root++) {
		struct names names = { .ask = ask,
				       .data = (char[]){ "asked" },
				       .roots = { .task = &command, .n = root } };

		take(&names, NOTE_FORK, TID, 100);
		exec(&names, 200, "one");
		exec(&names, 300, "two");
		exec(&names, 400, "two");
		assert_string_equal(find(&names, 150)->comm, root ? "one" : "asked");
		assert_string_equal(find(&names, 250)->comm, "one");
		assert_string_equal(find(&names, 350)->comm, "two");
		assert_ptr_equal(find(&names, 350), find(&names, 450));
		assert_int_equal(find(&names, 250)->ended_ns, 300);
		assert_int_equal(find(&names, 350)->is_of_root, root != 0);
		names_clear(&names);
	}
	(void)state;
}

static void an_id_that_is_used_again(void **state)
{
	struct names names = { .ask = ask, .data = (char[]){ "asked" } };

	(void)state;
	take(&names, NOTE_FORK, TID, 100);
	take(&names, NOTE_NAME, TID, 200);
	take(&names, NOTE_EXIT, TID, 300);
	take(&names, NOTE_FORK, TID, 400);

	const struct task_name *first = find(&names, 399), *second = find(&names, 400);

	assert_ptr_not_equal(first, second);
	assert_string_equal(first->comm, "exec");
	assert_int_equal(first->ended_ns, 300);
	assert_string_equal(second->comm, "asked"); /* as its parent, who is asked for */
	names_clear(&names);
}

/* What is told long after the end of a task is not of it, though nobody told of another. */
static void a_beginning_that_was_lost(void **state)
{
	struct names names = { .ask = ask, .data = (char[]){ "asked" } };

	(void)state;
	take(&names, NOTE_FORK, TID, 100);
	take(&names, NOTE_NAME, TID, 200);
	take(&names, NOTE_EXIT, TID, 300);

	const struct task_name *first = find(&names, 250), *last_switch = find(&names, 400);
	const struct task_name *other = find(&names, 300 + 3 * NAMES_ENDED_NS);

	assert_ptr_equal(first, last_switch);
	assert_ptr_not_equal(first, other);
	assert_string_equal(other->comm, "asked");
	assert_int_equal(other->ended_ns, UINT64_MAX);
	/* what another core tells later of an earlier time */
	assert_ptr_equal(find(&names, 300 + 2 * NAMES_ENDED_NS), other);
	assert_ptr_equal(find(&names, 250), first);
	names_clear(&names);
}

/* Who is first heard of as somebody's parent has its own id, not the child's. */
static void a_parent_is_its_own_process(void **state)
{
	struct names names = { .ask = nobody };

	(void)state;
	take(&names, NOTE_FORK, TID, 100);
	assert_int_equal(names_find(&names, PARENT, PARENT, 200)->pid, PARENT);
	assert_int_equal(find(&names, 200)->pid, TID);
	names_clear(&names);
}

static void an_end_that_was_lost(void **state)
{
	struct names names = { .ask = nobody };

	(void)state;
	take(&names, NOTE_FORK, TID, 100);
	take(&names, NOTE_FORK, TID, 400);
	assert_int_equal(find(&names, 399)->ended_ns, 400);
	assert_int_equal(find(&names, 400)->ended_ns, UINT64_MAX);
	assert_string_equal(names_find(&names, PARENT, PARENT, 1)->comm, "[10]");
	names_clear(&names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_text),
		cmocka_unit_test(a_chain_of_programs),
		cmocka_unit_test(an_id_that_is_used_again),
		cmocka_unit_test(a_beginning_that_was_lost),
		cmocka_unit_test(a_parent_is_its_own_process),
		cmocka_unit_test(an_end_that_was_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
