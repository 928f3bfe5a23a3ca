/* test_symbols.c: functions of programs that the test builds and runs, and of recorded mappings */
#include "rig/harness.h"

#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "symbols/place/place.h"
#include "symbols/symbols.h"

enum { WAIT_MS = 60000 };

static char folder[] = "/tmp/m1top-symbols-XXXXXX";
static struct symbols *symbols;

/* Functions of known names. It prints addresses and waits, or does what a letter of its standard input asks for. */
static const char program[] =
	"#define _GNU_SOURCE\n"
	"#include <dlfcn.h>\n"
	"#include <stdio.h>\n"
	"#include <stdlib.h>\n"
	"#include <sys/mman.h>\n"
	"#include <unistd.h>\n"
	"static inline __attribute__((always_inline)) int twice(int x)\n"
	"{\n"
	"	return x * 2 + *(volatile int *)&x;\n" /* line 9 */
	"}\n"
	"static __attribute__((noinline)) int alpha(int x)\n"
	"{\n"
	"	return twice(x) + NUMBER;\n" /* line 13 */
	"}\n"
	"__attribute__((noinline)) int beta(int x)\n"
	"{\n"
	"	return alpha(x) * 3;\n"
	"}\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	char map[64];\n"
	"	void *page = mmap(0, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);\n"
	"	int c;\n"
	"	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : 0;\n"
	"	void *gamma = library ? dlsym(library, \"library_function\") : 0;\n"
	"	printf(\"%p %p %p %p\\n\", (void *)alpha, (void *)beta, gamma, page);\n"
	"	fflush(stdout);\n"
	"	sprintf(map, \"/tmp/perf-%d.map\", getpid());\n"
	"	while ((c = getchar()) > 0) {\n"
	"		if (c == 'j') {\n"
	"			FILE *f = fopen(map, \"w\");\n"
	"			fprintf(f, \"%lx 100 Interpreter::run\\n\", (long)page);\n"
	"			fclose(f);\n"
	"			printf(\"%d\\n\", beta(argc));\n"
	"		}\n"
	"		if (c == 'f')\n"
	"			printf(\"%d\\n\", fork() ? 0 : getpid());\n"
	"		fflush(stdout);\n"
	"	}\n"
	"	unlink(map);\n"
	"	return 0;\n"
	"}\n";

/* A program that runs. */
struct target {
	uint32_t pid;
	FILE *in, *out;
	uint64_t alpha, beta, library, page;
};

static void run(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Run a command in the folder. */
static void run(const char *fmt, ...)
{
	char command[1024], whole[1200];
	va_list args;

	va_start(args, fmt);
	vsnprintf(command, sizeof(command), fmt, args);
	va_end(args);
	snprintf(whole, sizeof(whole), "cd %s && %s", folder, command);
	assert_int_equal(system(whole), 0);
}

static void build(const char *name, const char *options)
{
	run("${CC:-gcc} -O2 -g -DNUMBER=7 -Wl,--build-id %s -o %s program.c -ldl", options, name);
}

static struct target start(const char *name, const char *library)
{
	struct target target = { 0 };
	char path[PATH_MAX];
	int in[2], out[2];

	assert_int_equal(pipe(in) | pipe(out), 0);
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	target.pid = (uint32_t)fork();
	if (!target.pid) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		for (int fd = 3; fd < 100; fd++)
			close(fd);
		execl(path, path, library, NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	target.in = fdopen(in[1], "w");
	target.out = fdopen(out[0], "r");
	assert_int_equal(fscanf(target.out, "%lx %lx %*s", &target.alpha, &target.beta), 2);
	rewind(target.out);
	return target;
}

static void stop(struct target *target)
{
	fclose(target->in);
	fclose(target->out);
	waitpid((pid_t)target->pid, NULL, 0);
}

static const struct function *function_at(uint32_t pid, uint64_t ip)
{
	const struct place *place = symbols_place(symbols, pid, ip, false, 1000);

	assert_true(symbols_wait(symbols, WAIT_MS));
	return place_function(place);
}

static void check_function(const struct function *function, const char *object, const char *name)
{
	assert_string_equal(function->name, name);
	assert_string_equal(function->object->name, object);
	assert_true(function->is_named);
	assert_false(function->is_kernel);
}

static int begin(void **state)
{
	struct err err = { "" };
	char path[PATH_MAX];

	(void)state;
	snprintf(path, sizeof(path), "%s/program.c", folder);

	AUTO_FILE FILE *file = fopen(path, "we");

	return !file || fputs(program, file) < 0 || symbols_start(&symbols, &err);
}

static int end(void **state)
{
	(void)state;
	symbols_stop(symbols);
	return 0;
}

/* ---- programs ---- */

static void check_program(const char *name, const char *options)
{
	needs_feature("symbols");
	build(name, options);

	struct target target = start(name, NULL);

	check_function(function_at(target.pid, target.alpha), name, "alpha");
	check_function(function_at(target.pid, target.alpha + 1), name, "alpha");
	check_function(function_at(target.pid, target.beta), name, "beta");
	stop(&target);
}

static void position_independent(void **state)
{
	(void)state;
	check_program("pie", "-fPIE -pie");
}

static void at_a_fixed_address(void **state)
{
	(void)state;
	check_program("fixed", "-fno-PIE -no-pie");
}

/* Check that it has no name, but the start of the function in the file. */
static void check_unnamed(const struct target *target, const char *object)
{
	const struct function *start_of = function_at(target->pid, target->alpha);
	const struct function *inside = function_at(target->pid, target->alpha + 4);

	assert_ptr_equal(start_of, inside);
	assert_false(start_of->is_named);
	assert_string_equal(start_of->object->name, object);
	assert_int_equal(start_of->start % 4096, target->alpha % 4096);
}

static void stripped(void **state)
{
	(void)state;
	needs_feature("symbols");
	build("stripped", "-rdynamic -s");

	struct target target = start("stripped", NULL);

	check_unnamed(&target, "stripped");
	check_function(function_at(target.pid, target.beta), "stripped", "beta");
	stop(&target);
}

static void with_a_debug_file(void **state)
{
	(void)state;
	needs_feature("symbols");
	build("linked", "");
	run("objcopy --only-keep-debug linked linked.debug && strip linked && "
	    "objcopy --add-gnu-debuglink=linked.debug linked");

	struct target target = start("linked", NULL);

	check_function(function_at(target.pid, target.alpha), "linked", "alpha");
	stop(&target);
}

static void with_the_debug_file_of_another_build(void **state)
{
	(void)state;
	needs_feature("symbols");
	build("mixed", "");
	build("other", "-DOTHER -UNUMBER -DNUMBER=9");
	run("objcopy --only-keep-debug other mixed.debug && strip mixed && "
	    "objcopy --add-gnu-debuglink=mixed.debug mixed");

	struct target target = start("mixed", NULL);

	check_unnamed(&target, "mixed");
	stop(&target);
}

static void deleted(void **state)
{
	(void)state;
	needs_feature("symbols");
	build("deleted", "");

	struct target target = start("deleted", NULL);

	run("rm deleted");
	if (geteuid() == 0)
		check_function(function_at(target.pid, target.alpha), "deleted", "alpha");
	else
		assert_string_equal(function_at(target.pid, target.alpha)->object->name, "deleted");
	stop(&target);
}

/* Another program at the same path has another function there. */
static void replaced(void **state)
{
	(void)state;
	needs_feature("symbols");
	build("replaced", "");

	struct target target = start("replaced", NULL);

	run("rm replaced && sed 's/alpha/wrong/g; s/beta/false/g' program.c >wrong.c && "
	    "${CC:-gcc} -O2 -DNUMBER=7 -o replaced wrong.c -ldl");

	const struct function *function = function_at(target.pid, target.alpha);

	if (function->is_named)
		assert_string_equal(function->name, "alpha");
	assert_true(function->is_named || geteuid());
	stop(&target);
}

static void libraries_loaded_later(void **state)
{
	char path[PATH_MAX];
	struct target target;

	(void)state;
	needs_feature("symbols");
	build("loader", "");
	run("echo 'int library_function(void) { return 5; }' >library.c && "
	    "${CC:-gcc} -shared -fPIC -o libextra.so.1 library.c");
	snprintf(path, sizeof(path), "%s/libextra.so.1", folder);
	target = start("loader", path);

	char command[PATH_MAX], line[512];
	uint64_t base = 0, address = 0;

	snprintf(command, sizeof(command), "grep libextra /proc/%u/maps; nm %s", target.pid, path);

	FILE *out = popen(command, "r");

	while (out && fgets(line, sizeof(line), out)) {
		if (strstr(line, "libextra") && !base)
			base = strtoull(line, NULL, 16);
		if (strstr(line, " library_function"))
			address = strtoull(line, NULL, 16);
	}
	pclose(out);
	check_function(function_at(target.pid, base + address), "libextra.so.1",
		       "library_function");
	stop(&target);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(position_independent),
		cmocka_unit_test(at_a_fixed_address),
		cmocka_unit_test(stripped),
		cmocka_unit_test(with_a_debug_file),
		cmocka_unit_test(with_the_debug_file_of_another_build),
		cmocka_unit_test(deleted),
		cmocka_unit_test(replaced),
		cmocka_unit_test(libraries_loaded_later),
	};
	int failed;

	if (!mkdtemp(folder))
		return 1;
	signal(SIGPIPE, SIG_IGN);
	failed = cmocka_run_group_tests(tests, begin, end);
	run("rm -rf %s", folder);
	return failed;
}
