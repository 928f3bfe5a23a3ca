/* test_asm.c: assembly that a user brings: compiled, tried, refused; what a report says of it */
#include "rig/harness.h"

#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "discover/custom.h"

static char folder[] = "/tmp/m1top-test-XXXXXX";

static const char *write_file(const char *name, const char *text)
{
	static char path[64];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || write(fd, text, strlen(text)) < 0 || close(fd))
		fail_msg("%s", path);
	return path;
}

#define HEAD "\t.text\n\t.globl trigger, control\n"
#define CODE                                              \
	"#if defined(__x86_64__)\n"                       \
	"trigger:\n\tmov %rdi, (%rsi)\n\tret\n"           \
	"control:\n\tmovq $7, (%rsi)\n\tret\n"            \
	"#else\n"                                         \
	"trigger:\n\tstr x0, [x1]\n\tret\n"               \
	"control:\n\tmov x2, #7\n\tstr x2, [x1]\n\tret\n" \
	"#endif\n"

static void test_assembly(void **state)
{
	const char *path = write_file("it's {n}.S", HEAD CODE);
	uint64_t memory = 0;
	struct custom *custom = NULL;
	struct err err = { "" };

	(void)state;
	if (custom_of_assembly("mine", path, NULL, &custom, &err))
		fail_msg("%s", err.text);
	custom->kernel.trigger(4711, &memory);
	assert_int_equal(memory, 4711);
	custom->kernel.control(4711, &memory);
	assert_int_equal(memory, 7);
	assert_true(kernel_runs_here(&custom->kernel));
	custom_free(custom);
}

/* A name that the compiler could take for an option or a list of them; the folder is the current one. */
static void test_assembly_names(void **state)
{
	static const char *const name[] = { "-o.S", "@options.S" };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(name); i++) {
		struct custom *custom = NULL;
		struct err err = { "" };

		write_file(name[i], HEAD CODE);
		if (custom_of_assembly(NULL, name[i], NULL, &custom, &err))
			fail_msg("%s", err.text);
		custom_free(custom);
	}
}

static void test_assembly_errors(void **state)
{
	static const struct {
		const char *text, *said;
	} row[] = {
		{ HEAD "trigger:\n\tno_such_instruction\n", "bad.S:4:" },
		{ "\t.text\n\t.globl control\ncontrol:\n\tret\n",
		  "bad.S: no function \"trigger\"" },
		{ "\t.text\n\t.globl trigger\ntrigger:\n\tret\ncontrol:\n\tret\n",
		  "bad.S: no function \"control\"" },
		{ HEAD CODE "\t.data\n\t.quad nobody_has_this\n", "nobody_has_this" },
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(row); i++) {
		struct custom *custom = NULL;
		struct err err = { "" };

		assert_int_equal(custom_of_assembly(NULL, write_file("bad.S", row[i].text), NULL,
						    &custom, &err),
				 -EINVAL);
		if (!strstr(err.text, row[i].said))
			fail_msg("row %u: %s", i, err.text);
		assert_null(custom);
	}
}

/* What crashes or never returns does so in a child. */
static void test_assembly_that_fails(void **state)
{
#if defined(__x86_64__)
	static const char invalid[] = "ud2", wild[] = "mov 0, %rax", endless[] = "jmp .",
			  leaves[] = "mov $231, %eax\n\txor %edi, %edi\n\tsyscall";
#else
	static const char invalid[] = "udf #0", wild[] = "mov x2, #0\n\tldr x2, [x2]",
			  endless[] = "b .", leaves[] = "mov x0, #0\n\tmov x8, #94\n\tsvc #0";
#endif
	static const char constructor[] =
		"\tret\n\t.section .init_array,\"aw\"\n\t.quad dies\n\t.text\ndies:";
	static const struct {
		const char *trigger, *control, *said;
	} row[] = {
		{ invalid, "ret", "bad.S: its trigger, with n = 0, crashes: Illegal instruction" },
		{ "ret", wild, "bad.S: its control, with n = 0, crashes: Segmentation fault" },
		{ "ret", endless, "bad.S: its control, with n = 0, does not return within 2 s" },
		{ leaves, "ret", "bad.S: its trigger, with n = 0, ends the program" },
		{ constructor, invalid,
		  "bad.S: while it is loaded or unloaded, its code crashes: Illegal" },
		{ constructor, leaves,
		  "bad.S: while it is loaded or unloaded, its code ends the program" },
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(row); i++) {
		struct custom *custom = NULL;
		struct err err = { "" };
		char text[256];

		snprintf(text, sizeof(text), HEAD "trigger:\n\t%s\ncontrol:\n\t%s\n",
			 row[i].trigger, row[i].control);
		assert_int_equal(
			custom_of_assembly(NULL, write_file("bad.S", text), NULL, &custom, &err),
			-EINVAL);
		if (!strstr(err.text, row[i].said))
			fail_msg("row %u: %s", i, err.text);
		assert_null(custom);
	}
}

/* Nothing that could be a library, and that is told of the file and not of $TMPDIR. */
static void test_no_assembly(void **state)
{
	struct custom *custom = NULL;
	struct err err = { "" };

	(void)state;
	assert_int_equal(custom_of_assembly(NULL, write_file("empty", ""), NULL, &custom, &err),
			 -EINVAL);
	assert_null(strstr(err.text, "TMPDIR"));
	assert_non_null(strstr(err.text, "is it assembly with the functions trigger and control?"));
}

/* What could hold whoever opens it, or never end, is not opened for long. */
static void test_no_regular_file(void **state)
{
	static const char *const path[] = { "fifo", ".", "/dev/zero" };

	(void)state;
	assert_int_equal(mkfifo("fifo", 0600), 0);
	for (unsigned i = 0; i < ARRAY_SIZE(path); i++) {
		struct custom *custom = NULL;
		struct err err = { "" };
		char says[64];

		snprintf(says, sizeof(says), "%s: not a regular file", path[i]);
		assert_int_equal(custom_of_assembly(NULL, path[i], NULL, &custom, &err), -EINVAL);
		assert_string_equal(err.text, says);
	}
	assert_int_equal(unlink("fifo"), 0);
}

static void test_endless_file(void **state)
{
	struct custom *custom = NULL;
	struct err err = { "" };

	(void)state;
	assert_int_equal(truncate(write_file("bad.S", ""), (off_t)1 << 40), 0);
	assert_int_equal(custom_of_assembly(NULL, "bad.S", NULL, &custom, &err), -EFBIG);
	assert_string_equal(err.text, "bad.S: more than 64 MiB");
}

/* The hash in a report is of what ran. */
static void test_changed_meanwhile(void **state)
{
	const char *cc = getenv("CC");
	AUTO_FREE char *was = cc ? strdup(cc) : NULL;
	struct custom *custom = NULL;
	struct err err = { "" };

	(void)state;
	assert_int_equal(
		chmod(write_file("compiler", "#!/bin/sh\necho >>bad.S\nexec cc \"$@\"\n"), 0700),
		0);
	write_file("bad.S", HEAD CODE);
	setenv("CC", "./compiler", 1);
	assert_int_equal(custom_of_assembly(NULL, "bad.S", NULL, &custom, &err), -EINVAL);
	assert_string_equal(err.text, "bad.S: changed while it was compiled; try again");
	assert_null(custom);
	if (was)
		setenv("CC", was, 1);
	else
		unsetenv("CC");
}

static void test_no_file(void **state)
{
	struct custom *custom = NULL;
	struct err err = { "" };

	(void)state;
	assert_int_equal(custom_of_assembly(NULL, "/nowhere/k.S", NULL, &custom, &err), -ENOENT);
	assert_string_equal(err.text, "/nowhere/k.S: No such file or directory");
}

/* ---- where it came from ---- */

static void test_origins(void **state)
{
	static const struct custom_origin custom = { .name = "own",
						     .trigger = "seq {n}",
						     .control = "it's" };
	struct custom_origin named = custom, file, same;
	struct text text = { 0 };
	char path[64], says[160];

	(void)state;
	custom_origin_options(&custom, &text);
	assert_string_equal(text.bytes, " --trigger 'seq {n}' --control 'it'\\''s'");
	snprintf(named.name, sizeof(named.name), "other");
	assert_false(custom_origin_differs(&custom, &named));
	named = custom;
	assert_false(custom_origin_differs(&custom, &named));
	snprintf(named.control, sizeof(named.control), "true");
	assert_true(custom_origin_differs(&custom, &named));

	snprintf(path, sizeof(path), "%s", write_file("bad.S", "one"));
	assert_int_equal(custom_origin_of_assembly("asm", path, &file, NULL), 0);
	text_clear(&text);
	custom_origin_options(&file, &text);
	snprintf(says, sizeof(says), " --name asm --asm %s", path);
	assert_string_equal(text.bytes, says);
	assert_int_equal(custom_origin_of_assembly("asm", path, &same, NULL), 0);
	assert_false(custom_origin_differs(&file, &same));
	write_file("bad.S", "two");
	assert_int_equal(custom_origin_of_assembly("asm", path, &same, NULL), 0);
	assert_true(custom_origin_differs(&file, &same));
	text_fini(&text);
}

/* Nothing of what was compiled stays: last, after all the others. */
static void test_leaves_nothing(void **state)
{
	glob_t found;

	(void)state;
	assert_int_equal(glob("m1top-*", 0, NULL, &found), GLOB_NOMATCH);
	globfree(&found);
}

static int make_folder(void **state)
{
	(void)state;
	return !mkdtemp(folder) || setenv("TMPDIR", folder, 1) || chdir(folder);
}

static int remove_folder(void **state)
{
	(void)state;
	unlink("-o.S");
	unlink("@options.S");
	unlink("bad.S");
	unlink("compiler");
	unlink("empty");
	unlink("it's {n}.S");
	return chdir("/") || rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_assembly),        cmocka_unit_test(test_assembly_names),
		cmocka_unit_test(test_assembly_errors), cmocka_unit_test(test_assembly_that_fails),
		cmocka_unit_test(test_no_assembly),     cmocka_unit_test(test_no_regular_file),
		cmocka_unit_test(test_endless_file),    cmocka_unit_test(test_changed_meanwhile),
		cmocka_unit_test(test_no_file),         cmocka_unit_test(test_origins),
		cmocka_unit_test(test_leaves_nothing),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
