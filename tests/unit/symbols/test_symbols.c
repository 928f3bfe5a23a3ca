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

#include "base/sanitized.h"
#include "symbols/place/place.h"
#include "symbols/symbols.h"

enum { WAIT_MS = 60000 };

/* Lines of a list that takes long to parse, but ends within its budget. */
enum { LONG_LIST = SANITIZED ? 20000 : 200000 };

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
	"	__asm__ volatile(\"nop\" : \"+r\"(x)); return x * 2;\n" /* line 9 */
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
	"	printf(\"%lx %lx %lx %lx\\n\", (long)alpha, (long)beta, (long)gamma, (long)page);\n"
	"	fflush(stdout);\n"
	"	sprintf(map, \"/tmp/perf-%d.map\", getpid());\n"
	"	while ((c = getchar()) > 0) {\n"
	"		if (c == 'k') {\n"
	"			FILE *f = fopen(map, \"a\");\n"
	"			fprintf(f, \"%lx 80 Compiler::run\\n\", (long)page);\n"
	"			fclose(f);\n"
	"			printf(\"%d\\n\", beta(argc));\n"
	"		}\n"
	"		if (c == 'j') {\n"
	"			FILE *f = fopen(map, \"w\");\n"
	"			fprintf(f, \"%lx 100 Interpreter::run\\n\", (long)page);\n"
	"			fclose(f);\n"
	"			printf(\"%d\\n\", beta(argc));\n"
	"		}\n"
	"		if (c == 'f' && !fork()) {\n"
	"			printf(\"%d\\n\", getpid());\n"
	"			fflush(stdout);\n"
	"			pause();\n"
	"		}\n"
	"		if (c == 'e')\n"
	"			execl(\"/proc/self/exe\", \"again\", (char *)0);\n"
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
	char path[PATH_MAX], line[256], *rest;
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
	assert_non_null(fgets(line, sizeof(line), target.out));
	target.alpha = strtoull(line, &rest, 16);
	target.beta = strtoull(rest, &rest, 16);
	target.library = strtoull(rest, &rest, 16);
	target.page = strtoull(rest, &rest, 16);
	return target;
}

static void reap(struct target *target)
{
	fclose(target->in);
	fclose(target->out);
	waitpid((pid_t)target->pid, NULL, 0);
}

/* Get a place and ask for its function. */
static const struct place *look_at(struct symbols *of, uint32_t pid, uint64_t ip, bool is_kernel,
				   uint64_t t_ns)
{
	const struct place *place = symbols_place(of, pid, ip, is_kernel, t_ns);

	(void)place_function(place);
	return place;
}

static const struct function *function_at(uint32_t pid, uint64_t ip)
{
	const struct place *place = look_at(symbols, pid, ip, false, 1000);

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

static int write_program(void **state)
{
	char path[PATH_MAX];

	(void)state;
	snprintf(path, sizeof(path), "%s/program.c", folder);

	AUTO_FILE FILE *file = fopen(path, "we");

	return !file || fputs(program, file) < 0;
}

static int begin(void **state)
{
	struct err err = { "" };

	(void)state;
	return symbols_start(&symbols, &err);
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
	reap(&target);
}

static void position_independent(void **state)
{
	(void)state;
	check_program("pie", "-fPIE -pie");
}

/* A table is read when a function of it is asked for. Until then it is neither unknown nor without a name. */
static void only_what_is_looked_at_is_read(void **state)
{
	struct target target;
	const struct place *place, *other;
	const struct function *function;

	(void)state;
	needs_feature("symbols");
	build("looked", "");
	target = start("looked", NULL);
	place = symbols_place(symbols, target.pid, target.alpha, false, 1000);
	assert_true(symbols_wait(symbols, WAIT_MS));
	assert_string_equal(place_function(place)->name, "[reading …]");
	assert_string_equal(place_function(place)->object->name, "[reading …]");
	assert_true(symbols_wait(symbols, WAIT_MS));
	check_function(place_function(place), "looked", "alpha");
	/* its mappings are known by now, and its table */
	other = symbols_place(symbols, target.pid, target.beta, false, 1000);
	assert_true(symbols_wait(symbols, WAIT_MS));
	function = place_function(other);
	assert_string_equal(function->name, "[reading …]");
	assert_string_equal(function->object->name, "looked");
	assert_ptr_not_equal(function, function_shown(function)); /* of all places of the object */
	assert_true(symbols_wait(symbols, WAIT_MS));
	check_function(place_function(other), "looked", "beta");
	reap(&target);
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
	reap(&target);
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
	reap(&target);
}

/* As Fedora's packages are made. */
static void with_packed_symbols(void **state)
{
	(void)state;
	needs_feature("symbols");
	if (system("command -v xz >/dev/null"))
		skip();
	build("packed", "");
	run("objcopy --only-keep-debug packed full && "
	    "objcopy -S --remove-section .gdb_index --remove-section .comment --keep-symbol=alpha "
	    "full tiny && "
	    "xz -f tiny && strip packed && objcopy --add-section .gnu_debugdata=tiny.xz packed");

	struct target target = start("packed", NULL);

	check_function(function_at(target.pid, target.alpha), "packed", "alpha");
	reap(&target);
}

/* A symbol without a size, the only one that is left, does not reach over the functions behind it. */
static void with_few_of_its_symbols(void **state)
{
	(void)state;
	needs_feature("symbols");
	run("sed 's/^static.*int alpha/__asm__(\".text; .globl zero; zero: nop\");\\n&/' program.c "
	    ">few.c && "
	    "${CC:-gcc} -O2 -DNUMBER=7 -o few few.c -ldl && strip --keep-symbol=zero few");

	struct target target = start("few", NULL);

	check_unnamed(&target, "few");
	reap(&target);
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
	reap(&target);
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
	reap(&target);
}

/* Another program at the same path has another function there. */
static void replaced(void **state)
{
	(void)state;
	needs_feature("symbols");
	build("replaced", "");

	struct target target = start("replaced", NULL);

	run("rm replaced && sed 's/alpha/wrong/g; s/beta/other/g' program.c >wrong.c && "
	    "${CC:-gcc} -O2 -DNUMBER=7 -o replaced wrong.c -ldl");

	const struct function *function = function_at(target.pid, target.alpha);

	if (function->is_named)
		assert_string_equal(function->name, "alpha");
	assert_true(function->is_named || geteuid());
	reap(&target);
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

	check_function(function_at(target.pid, target.library), "libextra.so.1",
		       "library_function");
	reap(&target);
}

/* Have a program do something. @return the number that it prints */
static long ask(const struct target *target, char what)
{
	char line[64];

	fputc(what, target->in);
	fflush(target->in);
	assert_non_null(fgets(line, sizeof(line), target->out));
	return strtol(line, NULL, 10);
}

static void generated_code(void **state)
{
	char map[32], object[64];
	struct target target;
	const struct place *place, *before;

	(void)state;
	needs_feature("symbols");
	build("jit", "");
	target = start("jit", NULL);
	snprintf(map, sizeof(map), "/tmp/perf-%u.map", target.pid);
	snprintf(object, sizeof(object), "[perf-%u.map]", target.pid);
	before = look_at(symbols, target.pid, target.page + 16, false, 1000);
	assert_true(symbols_wait(symbols, WAIT_MS));
	assert_false(place_function(before)->is_named);
	assert_string_equal(place_function(before)->object->name, "[anon]");
	ask(&target, 'j');
	if (geteuid() == 0) { /* a file that another user has put there */
		assert_int_equal(chown(map, 12345, 0), 0);
		usleep(2500000);
		assert_false(place_function(before)->is_named);
		assert_int_equal(chown(map, 0, 0), 0);
	}
	/* what waited for the map has its name within seconds */
	for (int i = 0; i < 600 && !place_function(before)->is_named; i++)
		usleep(100000);
	check_function(place_function(before), object, "Interpreter::run");
	/* its address is used again: what was there before keeps its name */
	ask(&target, 'k');
	place = before;
	for (int i = 0; i < 600 && strcmp(place_function(place)->name, "Compiler::run") != 0; i++) {
		place = look_at(symbols, target.pid, target.page + 16, false, 1000);
		usleep(100000);
	}
	check_function(place_function(place), object, "Compiler::run");
	check_function(place_function(before), object, "Interpreter::run");
	assert_ptr_equal(place, look_at(symbols, target.pid, target.page + 16, false, 1000));
	place = look_at(symbols, target.pid, target.page + 256, false, 1000);
	assert_true(symbols_wait(symbols, WAIT_MS));
	assert_false(place_function(place)->is_named);
	reap(&target);
}

/* Add to a list while it is read. @us  after which the reading has begun, and may have got past the list's end */
static void grow(struct target target, useconds_t us)
{
	const struct place *place;
	char map[32];
	FILE *file;

	snprintf(map, sizeof(map), "/tmp/perf-%u.map", target.pid);
	file = fopen(map, "w");
	assert_non_null(file);
	for (unsigned i = 1; i < LONG_LIST; i++)
		fprintf(file, "%x 10 Interpreter::run%u\n", 16 * i, i);
	fflush(file);
	look_at(symbols, target.pid, target.page + 16, false, 1000);
	usleep(us);
	fprintf(file, "%" PRIx64 " 80 Compiler::run\n", target.page);
	fclose(file);
	place = look_at(symbols, target.pid, target.page + 32, false, 1000);
	assert_true(symbols_finish(symbols, WAIT_MS));
	assert_string_equal(place_function(place)->name, "Compiler::run");
	reap(&target);
	unlink(map);
}

/* The end reads a list once more, even if it is being read. */
static void a_list_that_grows_while_it_is_read(void **state)
{
	(void)state;
	needs_feature("symbols");
	build("jit", "");
	for (useconds_t us = 25000; us <= 400000; us *= 2)
		grow(start("jit", NULL), us);
}

/* Nothing is recorded of the parent, and its child has ended when its sample is looked at. */
static void a_fork_that_has_ended(void **state)
{
	const struct place *place;
	struct target target;
	uint32_t child;

	(void)state;
	needs_feature("symbols");
	build("forks", "");
	target = start("forks", NULL);
	child = (uint32_t)ask(&target, 'f');
	kill((pid_t)child, SIGKILL);
	usleep(100000);
	symbols_fork(symbols, child, target.pid, 1000);
	place = look_at(symbols, child, target.alpha, false, 1001);
	assert_true(symbols_wait(symbols, WAIT_MS));
	check_function(place_function(place), "forks", "alpha");
	reap(&target);
}

/* What was known of the process before is not used. */
static void a_program_that_has_executed_another(void **state)
{
	struct target target;
	uint64_t alpha;
	char line[256];

	(void)state;
	needs_feature("symbols");
	build("executes", "");
	target = start("executes", NULL);
	check_function(function_at(target.pid, target.alpha), "executes", "alpha");
	fputc('e', target.in);
	fflush(target.in);
	assert_non_null(fgets(line, sizeof(line), target.out));
	alpha = strtoull(line, NULL, 16);
	symbols_exec(symbols, target.pid, 1001);
	check_function(function_at(target.pid, alpha), "executes", "alpha");
	if (alpha / 4096 != target.alpha / 4096)
		assert_string_equal(function_at(target.pid, target.alpha)->object->name,
				    "[unknown]");
	reap(&target);
}

/* Another user's process, seen by one without rights. @return 0: its deleted program has its name */
static int look_without_rights(const struct target *target)
{
	struct symbols *own;
	struct err err;
	const struct place *place;

	if (symbols_start_reader(&err) || setresgid(65534, 65534, 65534) ||
	    setresuid(65534, 65534, 65534) || symbols_start(&own, &err))
		return 1;
	place = look_at(own, target->pid, target->alpha, false, 1);
	if (!symbols_wait(own, WAIT_MS))
		return 2;
	return strcmp(place_function(place)->name, "alpha") == 0 ? 0 : 3;
}

static void files_that_only_root_may_open(void **state)
{
	struct target target;
	pid_t pid;
	int status;

	(void)state;
	needs_feature("symbols");
	if (geteuid())
		skip();
	build("foreign", "");
	target = start("foreign", NULL);
	run("rm foreign");
	pid = fork();
	if (!pid)
		_exit(look_without_rights(&target));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	reap(&target);
}

/* Ask for the lines or instructions of a program's function alpha until they are read or refused. */
static int lines_of_alpha(const char *name, enum code_division division,
			  const struct function **ret_function, const struct code_lines **ret)
{
	struct target target = start(name, NULL);
	int rc = -EAGAIN;

	*ret_function = function_at(target.pid, target.alpha);
	for (int i = 0; i < 600 && rc == -EAGAIN; i++) {
		rc = symbols_lines(symbols, *ret_function, division, ret);
		usleep(rc ? 100000 : 0);
	}
	reap(&target);
	return rc;
}

/* Check the lines of a program's function alpha, and of what is inlined there. */
static void check_lines(const char *name)
{
	const struct code_lines *lines = NULL;
	const struct function *function;
	bool has_own = false, has_inlined = false;

	assert_int_equal(lines_of_alpha(name, CODE_SOURCE, &function, &lines), 0);
	for (size_t i = 0; i < lines->n; i++) {
		const struct code_line *line = &lines->line[i];

		assert_ptr_equal(code_lines_at(lines, line->start), line);
		assert_non_null(strstr(line->file, "program.c"));
		has_own |= line->line == 13 && !line->n_inlined;
		if (line->line == 9) {
			assert_int_equal(line->n_inlined, 1);
			assert_string_equal(line->inlined[0].function, "twice");
			assert_int_equal(line->inlined[0].line, 13);
			has_inlined = true;
		}
	}
	assert_true(has_own && has_inlined);
	assert_null(code_lines_at(lines, function->start + function->size));
}

static void lines_and_inlined_calls(void **state)
{
	(void)state;
	needs_feature("symbols");
	build("lines", "");
	check_lines("lines");
}

/* Instructions follow each other from the beginning of the function to its end. */
static void instructions(void **state)
{
	const struct code_lines *lines = NULL;
	const struct function *function;
	uint64_t at;
	int rc;

	(void)state;
	needs_feature("symbols");
	build("instructions", "");
	rc = lines_of_alpha("instructions", CODE_ASSEMBLY, &function, &lines);
	if (rc == -ENOTSUP)
		skip(); /* libcapstone is not installed */
	assert_int_equal(rc, 0);
	at = function->start;
	for (size_t i = 0; i < lines->n; i++) {
		assert_int_equal(lines->line[i].start, at);
		assert_true(lines->line[i].end > at);
		assert_true(strlen(lines->line[i].file) >= 3);
		at = lines->line[i].end;
	}
	assert_int_equal(at, function->start + function->size);
	assert_non_null(strstr(lines->line[lines->n - 1].file, "ret"));
}

/* Descriptions that dwz has moved into a file that several programs share. */
static void lines_of_shared_descriptions(void **state)
{
	const struct code_lines *lines = NULL;
	const struct function *function;
	struct err err = { "" };

	(void)state;
	needs_feature("symbols");
	if (system("command -v dwz >/dev/null"))
		skip();
	build("one", "");
	build("other", "-Wl,--defsym=x=1");
	run("dwz -m shared.debug one other");
	run("readelf -SW one | grep -q debugaltlink");
	check_lines("one");
	run("cp one lacks && rm shared.debug");
	assert_int_equal(lines_of_alpha("lacks", CODE_SOURCE, &function, &lines), 0);
	while (symbols_take_warning(&err) && !strstr(err.text, "shared.debug"))
		;
	assert_non_null(strstr(err.text, "shared.debug"));
}

/* Promises of DWARF that lead in a circle, too deep or nowhere, made of what the compiler writes. */
static void lines_of_hostile_dwarf(void **state)
{
	static const char entry[] = "/DIE \\(0x/ { match($0, /0x[0-9a-f]+\\) DW_TAG/); entry = "
				    "substr($0, RSTART, RLENGTH - 8) } ";
	static const struct {
		const char *name, *awk;
	} hostile[] = {
		{ "origin", "/DW_AT_abstract_origin/ { sub(/0x[0-9a-f]+/, entry) } 1" },
		{ "sibling", "/DW_AT_sibling/ { sub(/0x[0-9a-f]+/, entry) } 1" },
		{ "deep", "is_in && !/DW_AT/ { while (is_in++ <= 100000) print call; is_in = 0 } "
			  "/DIE.*DW_TAG_inlined/ { is_in = 1; call = $0; next } "
			  "is_in { call = call \"\\n\" $0; next } 1" },
		{ "texts", "/DW_FORM_strp/ { sub(/0x[0-9a-f]+/, \"0x1a\") } 1" },
		{ "form", "/DW_FORM_(ref4|addr|data1)/ { sub(/0x[0-9a-f]+/, \"0x16\") } 1" },
		{ "nowhere", "/# DW_AT_(low_pc|stmt_list|ranges|sibling|abstract_origin)/ { "
			     "sub(/\\t[0.][^\\t]*\\t#/, \" 0x7ffffff0 #\") } 1" },
	};
	const struct code_lines *lines = NULL;
	const struct function *function;

	(void)state;
	needs_feature("symbols");
	run("${CC:-gcc} -O2 -g -dA -DNUMBER=7 -S -o whole.s program.c");
	for (size_t i = 0; i < ARRAY_SIZE(hostile); i++) {
		run("awk '%s%s' whole.s >hostile.s && ! cmp -s whole.s hostile.s", entry,
		    hostile[i].awk);
		run("${CC:-gcc} -o %s hostile.s -ldl", hostile[i].name);
		assert_int_not_equal(
			lines_of_alpha(hostile[i].name, CODE_SOURCE, &function, &lines), -EAGAIN);
	}
	lines_and_inlined_calls(state);
}

/* ---- records ---- */

static void map_symbol(uint32_t pid, uint64_t start_at, uint64_t size, const char *name,
		       uint64_t t_ns)
{
	symbols_map(symbols, &(struct code_map){ .pid = pid,
						 .start = start_at,
						 .size = size,
						 .t_ns = t_ns,
						 .path = "simulated",
						 .symbol = name });
}

static const char *name_at(uint32_t pid, uint64_t ip, uint64_t t_ns)
{
	const struct place *place = look_at(symbols, pid, ip, false, t_ns);

	assert_true(symbols_wait(symbols, WAIT_MS));
	return place_function(place)->is_named ? place_function(place)->name
					       : place_function(place)->object->name;
}

/* No process has these ids. */
enum { GONE = 0x40000000 };

static void the_newest_mapping_wins(void **state)
{
	(void)state;
	map_symbol(GONE, 0x1000, 0x2000, "first", 1);
	map_symbol(GONE, 0x1800, 0x800, "second", 2);
	assert_string_equal(name_at(GONE, 0x17ff, 3), "first");
	assert_string_equal(name_at(GONE, 0x1800, 3), "second");
	assert_string_equal(name_at(GONE, 0x1fff, 3), "second");
	assert_string_equal(name_at(GONE, 0x2000, 3), "first");
	assert_string_equal(name_at(GONE, 0x3000, 3), "[unknown]");
	map_symbol(GONE, 0, 0x10000, "third", 4);
	assert_string_equal(name_at(GONE, 0x1800, 5), "third");
	symbols_map(symbols,
		    &(struct code_map){ .pid = GONE, .start = 0x1800, .size = 16, .t_ns = 6 });
	assert_string_equal(name_at(GONE, 0x180f, 7), "[unknown]");
	assert_string_equal(name_at(GONE, 0x1810, 7), "third");
}

static void forks_have_the_mappings_of_their_parents(void **state)
{
	(void)state;
	map_symbol(GONE + 1, 0x1000, 0x1000, "parent", 10);
	symbols_fork(symbols, GONE + 2, GONE + 1, 11);
	assert_string_equal(name_at(GONE + 2, 0x1000, 12), "parent");
	map_symbol(GONE + 2, 0x1000, 0x1000, "child", 13);
	assert_string_equal(name_at(GONE + 2, 0x1000, 14), "child");
	assert_string_equal(name_at(GONE + 1, 0x1000, 14), "parent");
	map_symbol(GONE + 1, 0x5000, 0x1000, "after", 15);
	assert_string_equal(name_at(GONE + 2, 0x5000, 16), "[unknown]");
	symbols_fork(symbols, GONE + 1, GONE + 1, 17); /* a thread */
	assert_string_equal(name_at(GONE + 1, 0x5000, 18), "after");
}

static void exec_removes_all_mappings(void **state)
{
	(void)state;
	map_symbol(GONE + 3, 0x1000, 0x1000, "before", 20);
	symbols_exec(symbols, GONE + 3, 21);
	assert_string_equal(name_at(GONE + 3, 0x1000, 22), "[unknown]");
	map_symbol(GONE + 3, 0x1000, 0x1000, "behind", 23);
	assert_string_equal(name_at(GONE + 3, 0x1000, 24), "behind");
}

static void an_ended_process_is_kept_for_seconds(void **state)
{
	(void)state;
	map_symbol(GONE + 4, 0x1000, 0x1000, "ended", 30);
	symbols_exit(symbols, GONE + 4, 31);
	assert_string_equal(name_at(GONE + 4, 0x1000, 32), "ended");
	map_symbol(GONE + 5, 0x1000, 0x1000, "later", 31 + 7 * NS_PER_S);
	assert_string_equal(name_at(GONE + 4, 0x1000, 7 * NS_PER_S), "[unknown]");
}

/* What was mapped when the sample was taken is not known. */
static void a_later_mapping_does_not_name_earlier_samples(void **state)
{
	const struct place *place;

	(void)state;
	place = look_at(symbols, GONE + 6, 0x1000, false, 40);
	map_symbol(GONE + 6, 0x1000, 0x1000, "later", 41);
	assert_true(symbols_wait(symbols, WAIT_MS));
	assert_string_equal(place_function(place)->object->name, "[unknown]");
	assert_string_equal(name_at(GONE + 6, 0x1000, 42), "later");
}

static void given_functions_are_known_at_once(void **state)
{
	const struct place *place, *again;

	(void)state;
	map_symbol(GONE + 7, 0x1000, 0x1000, "given", 50);
	place = look_at(symbols, GONE + 7, 0x1010, false, 51);
	assert_string_equal(place_function(place)->name, "given");
	assert_string_equal(place_function(place)->object->name, "simulated");
	assert_int_equal(place_function(place)->size, 0x1000);
	map_symbol(GONE + 8, 0x5000, 0x1000, "given", 52);
	again = look_at(symbols, GONE + 8, 0x5010, false, 53);
	assert_ptr_equal(again, place);
	assert_ptr_equal(place_of("o", "f", 7, false), place_of("o", "f", 7, false));
	assert_int_equal(place_address(place_of("o", "f", 7, false)), 7);
	assert_string_equal(place_function(place_of("o", "f", 7, true))->name, "f");
	assert_true(place_function(place_of("o", "f", 7, true))->is_kernel);
}

static void functions_of_the_kernel(void **state)
{
	const uint64_t address = UINT64_C(0xffffffffff123000);
	const struct place *place;

	(void)state;
	symbols_map(symbols, &(struct code_map){ .start = address,
						 .size = 64,
						 .path = "[bpf]",
						 .symbol = "bpf_prog_1234_filter",
						 .t_ns = 60 });
	place = look_at(symbols, GONE, address + 8, true, 61);
	assert_string_equal(place_function(place)->name, "bpf_prog_1234_filter");
	assert_string_equal(place_function(place)->object->name, "[bpf]");
	assert_true(place_function(place)->is_kernel);
	symbols_map(symbols, &(struct code_map){ .start = address, .size = 64, .t_ns = 62 });
	place = look_at(symbols, GONE, address + 8, true, 63);
	assert_true(symbols_wait(symbols, WAIT_MS));
	assert_string_equal(place_function(place)->object->name, "kernel");
	assert_true(place_function(place)->is_kernel);
	assert_false(place_function(place)->is_named);
}

static void hostile_paths_are_printable(void **state)
{
	const struct place *place;

	(void)state;
	symbols_map(symbols, &(struct code_map){ .pid = GONE + 9,
						 .start = 0x1000,
						 .size = 0x1000,
						 .inode = 1,
						 .path = "/tmp/\033[2J\xff\nname",
						 .t_ns = 70 });
	place = look_at(symbols, GONE + 9, 0x1000, false, 71);
	assert_true(symbols_wait(symbols, WAIT_MS));
	assert_string_equal(place_function(place)->object->name, "\\033[2J\\377\\012name");
	assert_false(place_function(place)->is_named);
}

/* More processes than are kept: the oldest are dropped, the newest have names. */
static void many_processes(void **state)
{
	const uint32_t first = GONE + 1000;

	(void)state;
	for (uint32_t i = 0; i < 50000; i++)
		map_symbol(first + i, 0x1000, 0x1000, "many", 8 * NS_PER_S + i);
	assert_string_equal(name_at(first + 49999, 0x1000, 9 * NS_PER_S), "many");
	assert_string_equal(name_at(first, 0x1000, 9 * NS_PER_S), "[unknown]");
}

/* Map a file that is not there. */
static void map_file(uint32_t pid, const char *path, uint64_t size, uint64_t t_ns)
{
	symbols_map(symbols, &(struct code_map){ .pid = pid,
						 .start = 0x1000,
						 .size = size,
						 .inode = 1,
						 .t_ns = t_ns,
						 .path = path });
}

/* At last: no more than these are made. */
static void many_places(void **state)
{
	const struct place *place = NULL, *last = NULL;

	(void)state;
	map_symbol(GONE + 10, 0, UINT64_C(1) << 40, "wide", 10 * NS_PER_S);
	for (uint64_t i = 0; i < 3 * PLACES_MAX; i++) {
		last = place;
		place = look_at(symbols, GONE + 10, i * 4096, false, 10 * NS_PER_S);
	}
	assert_ptr_equal(place, last);
	assert_string_equal(place_function(place)->name, "wide");
}

/* Beyond twice as many places an object's others are one, which has no name of its own, and a warning says it. */
static void others_are_not_named(void **state)
{
	struct err err = { "" };
	const struct function *function = NULL;

	(void)state;
	while (symbols_take_warning(&err) && !strstr(err.text, "addresses in code"))
		;
	assert_non_null(strstr(err.text, "more than 200000 addresses in code"));
	map_file(GONE + 11, "/gone/wide", UINT64_C(1) << 40, 10 * NS_PER_S);
	for (uint64_t i = 1; i < PLACES_MAX + 10; i++)
		function = place_function(
			look_at(symbols, GONE + 11, 0x1000 + i * 4096, false, 10 * NS_PER_S));
	assert_string_equal(function->name, "[others, not named]");
	assert_string_equal(function->object->name, "wide");
	assert_false(function->is_named);
	assert_false(symbols_take_warning(&err));
}

int main(void)
{
	/* before there is a thread: it forks */
	const struct CMUnitTest alone[] = { cmocka_unit_test(files_that_only_root_may_open) };
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(position_independent),
		cmocka_unit_test(only_what_is_looked_at_is_read),
		cmocka_unit_test(at_a_fixed_address),
		cmocka_unit_test(stripped),
		cmocka_unit_test(with_a_debug_file),
		cmocka_unit_test(with_packed_symbols),
		cmocka_unit_test(with_few_of_its_symbols),
		cmocka_unit_test(with_the_debug_file_of_another_build),
		cmocka_unit_test(deleted),
		cmocka_unit_test(replaced),
		cmocka_unit_test(libraries_loaded_later),
		cmocka_unit_test(generated_code),
		cmocka_unit_test(a_list_that_grows_while_it_is_read),
		cmocka_unit_test(a_fork_that_has_ended),
		cmocka_unit_test(a_program_that_has_executed_another),
		cmocka_unit_test(lines_and_inlined_calls),
		cmocka_unit_test(instructions),
		cmocka_unit_test(lines_of_shared_descriptions),
		cmocka_unit_test(lines_of_hostile_dwarf),
		cmocka_unit_test(the_newest_mapping_wins),
		cmocka_unit_test(forks_have_the_mappings_of_their_parents),
		cmocka_unit_test(exec_removes_all_mappings),
		cmocka_unit_test(an_ended_process_is_kept_for_seconds),
		cmocka_unit_test(a_later_mapping_does_not_name_earlier_samples),
		cmocka_unit_test(given_functions_are_known_at_once),
		cmocka_unit_test(functions_of_the_kernel),
		cmocka_unit_test(hostile_paths_are_printable),
		cmocka_unit_test(many_processes),
		cmocka_unit_test(many_places),
		cmocka_unit_test(others_are_not_named),
	};
	int failed;

	if (!mkdtemp(folder))
		return 1;
	signal(SIGPIPE, SIG_IGN);
	failed = cmocka_run_group_tests(alone, write_program, NULL);
	failed += cmocka_run_group_tests(tests, begin, end);
	run("rm -rf %s", folder);
	return failed;
}
