/* Cgroups by path: one object each, names that users know, an order as of a tree, ids that mean another one later. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "rig/harness.h"
#include "sampler/tasks/cgroup.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void one_object_for_a_path(void **state)
{
	const struct cgroup *leaf = cgroup_get("/a.slice/b/c.scope"), *root = cgroup_get("/");

	(void)state;
	assert_ptr_equal(cgroup_get("/a.slice/b/c.scope"), leaf);
	assert_string_equal(leaf->path, "/a.slice/b/c.scope");
	assert_int_equal(leaf->depth, 3);
	assert_ptr_equal(leaf->parent, cgroup_get("/a.slice/b"));
	assert_ptr_equal(leaf->parent->parent->parent, root);
	assert_null(root->parent);
	assert_true(cgroup_is_in(leaf, root));
	assert_true(cgroup_is_in(leaf, leaf));
	assert_true(cgroup_is_in(leaf, cgroup_get("/a.slice")));
	assert_false(cgroup_is_in(cgroup_get("/a.slice"), leaf));
	assert_false(cgroup_is_in(cgroup_get("/a.slice2"), cgroup_get("/a.slice")));
}

static void names_that_users_know(void **state)
{
	static const struct {
		const char *path, *name, *names;
	} table[] = {
		{ "/", "/", "/" },
		{ "/system.slice/ssh.service", "ssh", "/system/ssh" },
		{ "/app.slice/app-dbus\\x2d:1.2.scope", "app-dbus-:1.2", "/app/app-dbus-:1.2" },
		{ "/x/\\x1b[31mred", "\\033[31mred", "/x/\\033[31mred" },
		{ "/x/\\x00nul\\xzz\\x", "nul\\xzz\\x", "/x/nul\\xzz\\x" },
		{ "/x/.scope", ".scope", "/x/.scope" },
		{ "/system.slice/docker-" ID ".scope", "docker-0123456789ab",
		  "/system/docker-0123456789ab" },
		{ "/docker/" ID, "0123456789ab", "/docker/0123456789ab" },
		{ "/docker/x" ID, "x" ID, "/docker/x" ID },
		{ "[4711]", "[4711]", "[4711]" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		char buf[256];

		assert_string_equal(cgroup_get(table[i].path)->name, table[i].name);
		assert_string_equal(cgroup_names(cgroup_get(table[i].path), buf, sizeof(buf)),
				    table[i].names);
	}
}

/* Names are read once, with the rights of the start: of docker's in its folder, of podman's in one file. */
static void names_of_containers(void **state)
{
	char folder[] = "/tmp/m1top-cgroup-XXXXXX", command[512];
	const char *home = getenv("HOME");

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(command, sizeof(command),
		 "d=%s/.local/share/containers/storage/overlay-containers; mkdir -p $d && echo "
		 "'[{\"id\":\"1%s\",\"names\":[\"web\\u001b\"]},{\"id\":7},3,{}]' "
		 ">$d/containers.json",
		 folder, &ID[1]);
	assert_int_equal(system(command), 0);
	setenv("HOME", folder, 1);
	unsetenv("SUDO_UID"); /* whose home it would be */
	cgroup_read_containers();
	setenv("HOME", home ? home : "/", 1);
	assert_string_equal(cgroup_get("/m/libpod-1123456789abcdef0123456789abcdef0123456789abcdef"
				       "0123456789abcdef.scope")
				    ->name,
			    "web\\033");
	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

static void hostile_paths(void **state)
{
	/* two cgroups whatever differs, and the same again when a session is read */
	static const char *const alike[] = { "/a\x01",     "/a\x02",   "/a?",      "/a\\001",
					     "/a\\134001", "/a\\134",  "/a\xff",   "/a\xfe",
					     "/a\u200d",   "/a\u200e", "/a\ufffd", "/a\\\\001",
					     "/a\\",       "/a",       "/a\\\x01" };
	char path[9000] = "/deep", name[300];

	(void)state;
	/* NOLINTNEXTLINE(misc-misleading-bidirectional) */
	assert_string_equal(cgroup_get("/a\x1b[2J\nb\xff/\xe2\x80\xae")->path,
			    "/a\\033[2J\\012b\\377/\\342\\200\\256");
	for (size_t i = 0; i < ARRAY_SIZE(alike); i++) {
		const struct cgroup *one = cgroup_get(alike[i]);

		assert_ptr_equal(cgroup_of_shown(one->path), one);
		for (size_t k = 0; k < i; k++) {
			assert_ptr_not_equal(cgroup_get(alike[k]), one);
			assert_string_not_equal(cgroup_get(alike[k])->path, one->path);
			assert_string_not_equal(cgroup_get(alike[k])->name, one->name);
		}
	}
	assert_string_equal(cgroup_get("//toolong")->path, "//toolong");
	assert_string_equal(cgroup_get("")->path, "/");
	memset(name, 'n', 255);
	memcpy(name, "/", 1);
	name[255] = '\0';
	while (strlen(path) + strlen(name) < sizeof(path))
		buf_printf(path, sizeof(path), "%s",
			   name); /* longer than any that the kernel has */
	assert_true(cgroup_get(path)->depth > 30);
	for (unsigned i = 0; i < 5000; i++) {
		snprintf(path, sizeof(path), "/many/%u", i);
		assert_string_equal(cgroup_get(path)->path, path);
	}
}

static void an_order_as_of_a_tree(void **state)
{
	static const char *const sorted[] = { "/",    "/a",   "/a/b",   "/a/b/c", "/a/c",
					      "/a b", "/a-b", "/a-b/c", "/aa",    "[7]" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sorted); i++)
		for (size_t k = 0; k < ARRAY_SIZE(sorted); k++) {
			int order = cgroup_compare(cgroup_get(sorted[i]), cgroup_get(sorted[k]));

			assert_int_equal((order > 0) - (order < 0), (i > k) - (i < k));
		}
}

static void an_id_that_is_used_again(void **state)
{
	struct cgroup_ids ids = { 0 };

	(void)state;
	assert_null(cgroup_ids_find(&ids, 5, 0));
	cgroup_ids_add(&ids, 5, 0, "/first");
	cgroup_ids_add(&ids, 5, 100, "/second");
	cgroup_ids_add(&ids, 5, 200, "/second");
	cgroup_ids_add(&ids, 6, 0, "/other");
	assert_int_equal(ids.n, 3);
	assert_string_equal(cgroup_ids_find(&ids, 5, 99)->path, "/first");
	assert_string_equal(cgroup_ids_find(&ids, 5, 100)->path, "/second");
	assert_string_equal(cgroup_ids_find(&ids, 6, 7)->path, "/other");
	assert_null(cgroup_ids_find(&ids, 7, 7));
	cgroup_ids_clear(&ids);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_containers), /* before other names are made */
		cmocka_unit_test(one_object_for_a_path),
		cmocka_unit_test(names_that_users_know),
		cmocka_unit_test(hostile_paths),
		cmocka_unit_test(an_order_as_of_a_tree),
		cmocka_unit_test(an_id_that_is_used_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
