/* test_table.c: tables of symbols against nm, and of text */
#include "rig/harness.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "symbols/table/table.h"

/* A function as nm lists it. */
struct listed {
	uint64_t start, size;
	char name[256];
};

struct list {
	struct listed *listed;
	size_t n;
};

static struct list list_of(const char *path)
{
	struct list list = { 0 };
	char command[512], line[4096];

	snprintf(command, sizeof(command), "nm -DS --defined-only %s", path);

	FILE *nm = popen(command, "r");

	assert_non_null(nm);
	list.listed = calloc(100000, sizeof(struct listed));
	assert_non_null(list.listed);
	while (list.n < 100000 && fgets(line, sizeof(line), nm)) {
		struct listed *at = &list.listed[list.n];
		char *rest;

		at->start = strtoull(line, &rest, 16);
		at->size = strtoull(rest, &rest, 16);
		if (rest[0] != ' ' || !strchr("TtWwi", rest[1]) || rest[2] != ' ' || !at->size)
			continue;
		rest[3 + strcspn(rest + 3, "@\n")] = '\0';
		snprintf(at->name, sizeof(at->name), "%s", rest + 3);
		list.n++;
	}
	pclose(nm);
	return list;
}

static struct code_table *table_of(const char *path)
{
	struct code_table *table = calloc(1, sizeof(*table));
	AUTO_FREE char *image = NULL;
	size_t n;

	assert_non_null(table);
	assert_int_equal(file_read(path, SIZE_MAX / 2, &image, &n), 0);
	assert_int_equal(table_read_elf(table, image, n), 0);
	table_close(table, false);
	return table;
}

/* Whether nm lists a name for an address. */
static bool is_listed(const struct list *list, uint64_t address, const char *name)
{
	for (size_t i = 0; i < list->n; i++)
		if (address - list->listed[i].start < list->listed[i].size &&
		    strcmp(list->listed[i].name, name) == 0)
			return true;
	return false;
}

/* Compare random addresses of every function. @return how many were compared */
static size_t compare(const char *path)
{
	struct list list = list_of(path);
	struct code_table *table = table_of(path);
	size_t n = 0;

	srandom(1);
	for (size_t i = 0; i < list.n; i++) {
		const struct listed *at = &list.listed[i];
		uint64_t address = at->start + (uint64_t)random() % at->size;
		const struct symbol *symbol = table_find(table, address);
		const char *name = symbol ? table->names + symbol->name : "nothing";

		if (!is_listed(&list, address, name))
			fail_msg("%s: %lx is %s, not %s", path, address, at->name, name);
		n++;
	}
	table_free(table);
	free(list.listed);
	return n;
}

static void functions_are_those_of_nm(void **state)
{
	static const char *const libraries[] = {
		"/lib/x86_64-linux-gnu/libc.so.6",
		"/lib/x86_64-linux-gnu/libm.so.6",
		"/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
		"/usr/lib/x86_64-linux-gnu/libzstd.so.1",
		"/lib/aarch64-linux-gnu/libc.so.6",
		"/usr/lib/aarch64-linux-gnu/libstdc++.so.6",
		"/lib64/libc.so.6",
		"/usr/lib/libc.so.6",
	};
	size_t n = 0;

	(void)state;
	needs_feature("symbols");
	for (size_t i = 0; i < ARRAY_SIZE(libraries); i++)
		if (!access(libraries[i], R_OK))
			n += compare(libraries[i]);
	printf("%zu functions compared\n", n);
	if (!n)
		skip(); /* no library has a known path here */
}

static void check(const struct code_table *table, uint64_t address, const char *name)
{
	const struct symbol *symbol = table_find(table, address);

	assert_string_equal(symbol && symbol->name ? table->names + symbol->name : "none",
			    name ? name : "none");
}

static void kernel_functions_end_at_data_and_modules(void **state)
{
	char text[] = "ffffffff81000000 T _stext\n"
		      "ffffffff81000000 T _text\n"
		      "ffffffff81000100 t copy_page\n"
		      "ffffffff81000180 T schedule\n"
		      "ffffffff81000200 D data\n"
		      "ffffffff81000300 r rodata\n"
		      "ffffffffc0001000 t nft_do_chain\t[nf_tables]\n"
		      "ffffffffc0001f00 t nft_last\t[nf_tables]\n"
		      "ffffffffc0009010 t other\t[zram]\n"
		      "not a line\n\nffff\n0000000000000000 T hidden\n";
	struct code_table *table = calloc(1, sizeof(*table));

	(void)state;
	assert_non_null(table);
	assert_int_equal(table_read_kallsyms(table, text), 0);
	check(table, 0xffffffff81000000, "_stext");
	check(table, 0xffffffff8100017f, "copy_page");
	check(table, 0xffffffff81000180, "schedule");
	check(table, 0xffffffff810001ff, "schedule");
	check(table, 0xffffffff81000200, NULL);
	check(table, 0xffffffff80ffffff, NULL);
	check(table, 0xffffffffc0001eff, "nft_do_chain\tnf_tables");
	check(table, 0xffffffffc0001fff, "nft_last\tnf_tables");
	check(table, 0xffffffffc0002000, NULL);
	check(table, 0xffffffffc0009010, "other\tzram");
	check(table, 0xffffffffc000a000, NULL);
	table_free(table);
}

static void hidden_addresses_of_the_kernel_have_no_names(void **state)
{
	char text[] = "0000000000000000 T _stext\n0000000000000000 T schedule\n";
	struct code_table *table = calloc(1, sizeof(*table));

	(void)state;
	assert_non_null(table);
	assert_int_equal(table_read_kallsyms(table, text), -EPERM);
	table_free(table);
}

static void later_code_of_a_jit_replaces_earlier(void **state)
{
	char text[] = "1000 100 old\n1080 20 new inside\n2000 40 stub\n1fc0 80 new over\n"
		      "3000 0 empty\nffffffffffffffff 10 last\nzz\n4000 10 unfinished";
	struct code_table *table = calloc(1, sizeof(*table));

	(void)state;
	assert_non_null(table);
	table_read_perf_map(table, text);
	table_close(table, true);
	check(table, 0x1000, "old");
	check(table, 0x107f, "old");
	check(table, 0x1080, "new inside");
	check(table, 0x10a0, NULL);
	check(table, 0x2010, "new over");
	check(table, 0x3000, NULL);
	check(table, 0x4000, NULL);
	table_free(table);
}

struct dumped {
	uint64_t address, size;
	const char *name; /* NULL: a record of another kind */
	uint32_t cut;     /* bytes that are missing at its end */
};

/* Write a jitdump. @return its bytes */
static size_t write_jitdump(char *to, uint32_t magic, const struct dumped *of, size_t n)
{
	const uint32_t head[10] = { magic, 1, sizeof(head) };
	char *at = to + sizeof(head);

	memcpy(to, head, sizeof(head));
	for (size_t i = 0; i < n; i++) {
		size_t n_name = of[i].name ? strlen(of[i].name) + 1 : 0;
		uint32_t size = (uint32_t)(16 + 40 + n_name + 8);
		const uint32_t record[4] = { of[i].name ? 0 : 2, size };
		const uint64_t load[5] = { 0, of[i].address, of[i].address, of[i].size, i };

		memset(at, 0xcc, size);
		memcpy(at, record, sizeof(record));
		memcpy(at + 16, load, sizeof(load));
		memcpy(at + 56, of[i].name ? of[i].name : "", n_name);
		at += size - of[i].cut;
	}
	return (size_t)(at - to);
}

static void functions_of_a_jitdump(void **state)
{
	static const struct dumped dumped[] = {
		{ .address = 0x1000, .size = 0x100, .name = "interpreter" },
		{ 0 },
		{ .address = 0x1080, .size = 0x20, .name = "JS:*f a.js:1:1" },
		{ .address = 0x2000, .size = 0x10, .name = "" },
		{ .address = 0x3000, .size = 0, .name = "empty" },
		{ .address = 0x4000, .size = 0x10, .name = "being written", .cut = 1 },
	};
	char image[1024];
	size_t n = write_jitdump(image, 0x4a695444, dumped, ARRAY_SIZE(dumped));
	struct code_table *table = calloc(1, sizeof(*table));

	(void)state;
	assert_non_null(table);
	assert_int_equal(table_read_jitdump(table, image, n), 0);
	table_close(table, true);
	check(table, 0x1000, "interpreter");
	check(table, 0x1080, "JS:*f a.js:1:1");
	check(table, 0x109f, "JS:*f a.js:1:1");
	check(table, 0x10a0, NULL);
	check(table, 0x2000, NULL);
	check(table, 0x3000, NULL);
	check(table, 0x4000, NULL);
	table_free(table);
}

/* Of another byte order, not a dump, and cut at each byte: nothing is read beyond the end (valgrind, ASan). */
static void other_files_are_no_jitdumps(void **state)
{
	static const struct dumped one = { .address = 0x1000, .size = 0x100, .name = "one" };
	char image[256];
	size_t n = write_jitdump(image, 0x4454694a, &one, 1);
	struct code_table *table = calloc(1, sizeof(*table));

	(void)state;
	assert_non_null(table);
	assert_int_equal(table_read_jitdump(table, image, n), -ENOEXEC);
	n = write_jitdump(image, 0x4a695444, &one, 1);
	for (size_t cut = 0; cut < n; cut++) {
		char *copy = malloc(cut ? cut : 1);

		assert_non_null(copy);
		memcpy(copy, image, cut);
		assert_int_equal(table_read_jitdump(table, copy, cut), cut < 40 ? -ENOEXEC : 0);
		free(copy);
	}
	assert_int_equal(table->n, 0);
	table_free(table);
}

static void names_are_demangled(void **state)
{
	static const struct {
		const char *mangled, *name;
	} cases[] = {
		{ "main", "main" },
		{ "_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base", "std::_Rb_tree_increment" },
		{ "_ZN3foo3barIiEEvT_", "foo::bar<int>" },
		{ "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad" },
		{ "_RNvC6_123foo3bar", "123foo::bar" },
		{ "_Znonsense", "_Znonsense" },
		{ "runtime.mallocgc", "runtime.mallocgc" },
		{ "_Z", "_Z" },
		{ "_R", "_R" },
	};
	char buf[256];

	(void)state;
	needs_feature("symbols");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(symbol_demangle(cases[i].mangled, buf, sizeof(buf)),
				    cases[i].name);
}

/* Each level of this name has the one before it twice: a text of 2^60 characters. */
static void hostile_names_end(void **state)
{
	char name[2048] = "_Z1fSt4pairIiiE", buf[256];
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	(void)state;
	needs_feature("symbols");
	for (unsigned i = 0; i < 35; i++) {
		char part[32];

		snprintf(part, sizeof(part), "St4pairIS%c_S%c_E", digits[i], digits[i]);
		memcpy(name + strlen(name), part, strlen(part) + 1);
	}
	assert_true(strlen(symbol_demangle(name, buf, sizeof(buf))) < sizeof(name));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_are_those_of_nm),
		cmocka_unit_test(kernel_functions_end_at_data_and_modules),
		cmocka_unit_test(hidden_addresses_of_the_kernel_have_no_names),
		cmocka_unit_test(later_code_of_a_jit_replaces_earlier),
		cmocka_unit_test(functions_of_a_jitdump),
		cmocka_unit_test(other_files_are_no_jitdumps),
		cmocka_unit_test(names_are_demangled),
		cmocka_unit_test(hostile_names_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
