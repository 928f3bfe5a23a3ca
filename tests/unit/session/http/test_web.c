/* test_web.c: the web configuration file, and ADDR:PORT */
#include "rig/harness.h"

#include <arpa/inet.h>
#include <gnutls/x509.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "session/http.h"

/* of "secret", as htpasswd -nbBC 4 alice secret would make it */
#define ALICE "$2y$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW"

static char folder[] = "/tmp/m1top-web-XXXXXX";
static char config_path[64];

/* In the folder. @return buf */
static const char *path_of(const char *name, char buf[64])
{
	snprintf(buf, 64, "%s/%s", folder, name);
	return buf;
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void write_key(const char *name, gnutls_pk_algorithm_t algorithm, unsigned bits, mode_t mode)
{
	gnutls_x509_privkey_t key;
	gnutls_datum_t pem;
	char path[64];

	assert_int_equal(gnutls_x509_privkey_init(&key), 0);
	assert_int_equal(gnutls_x509_privkey_generate(key, algorithm, bits, 0), 0);
	assert_int_equal(gnutls_x509_privkey_export2(key, GNUTLS_X509_FMT_PEM, &pem), 0);
	write_file(path_of(name, path), (const char *)pem.data);
	assert_int_equal(chmod(path, mode), 0);
	gnutls_free(pem.data);
	gnutls_x509_privkey_deinit(key);
}

static const char *const files[] = {
	"web.yml", "a.crt", "a.key", "open.key", "weak.key", "512.key"
};

static int make_folder(void **state)
{
	char path[64];
	struct err err;

	(void)state;
	if (http_load(&err) || !mkdtemp(folder))
		return -1;
	path_of("web.yml", config_path);
	write_file(path_of("a.crt", path), "CERT\n");
	write_key("a.key", GNUTLS_PK_ECDSA, GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0640);
	write_key("open.key", GNUTLS_PK_ECDSA, GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1),
		  0604);
	write_key("weak.key", GNUTLS_PK_RSA, 1024, 0600);
	write_key("512.key", GNUTLS_PK_RSA, 512, 0600);
	return 0;
}

static int remove_folder(void **state)
{
	char path[64];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		unlink(path_of(files[i], path));
	return rmdir(folder);
}

static void reads_all(void **state)
{
	(void)state;
	struct web_config config;
	struct err err = { "" };

	write_file(config_path, "# for m1top\n"
				"tls_server_config:\n"
				"  cert_file: a.crt\n"
				"  key_file: 'a.key'\n"
				"  min_version: TLS13\n"
				"basic_auth_users:\n"
				"  alice: " ALICE "\n"
				"  \"bob the builder\": " ALICE "\n");
	assert_int_equal(web_config_read(config_path, &config, &err), 0);
	assert_string_equal(config.cert, "CERT\n");
	assert_non_null(strstr(config.key, "PRIVATE KEY"));
	assert_non_null(strstr(config.priorities, "+VERS-TLS1.3"));
	assert_int_equal(config.n_users, 2);
	assert_string_equal(config.user[0].name, "alice");
	assert_string_equal(config.user[0].hash, ALICE);
	assert_string_equal(config.user[1].name, "bob the builder");
	web_config_fini(&config);

	write_file(config_path, "basic_auth_users:\n");
	assert_int_equal(web_config_read(config_path, &config, &err), 0);
	assert_null(config.cert);
	assert_int_equal(config.n_users, 0);
	web_config_fini(&config);
}

static void refuses(void **state)
{
	(void)state;
	static const struct {
		const char *text, *why;
	} row[] = {
		{ "tls_server_config:\n  cert_file: a.crt\n", "needs both" },
		{ "tls_server_config:\n  cert_file: b.crt\n  key_file: a.key\n", "b.crt: No such" },
		{ "tls_server_config:\n  client_auth_type: RequireAnyClientCert\n",
		  ":2: tls_server_config: client_auth_type is not supported" },
		{ "tls_server_config:\n  min_version: TLS10\n", ":2: min_version must be" },
		{ "tls_server_config: yes\n", ":1: expected key" },
		{ "tls_server_config:\n  cert_file: [a, b]\n", ":2: expected the name" },
		{ "rate_limit:\n  burst: 3\n", "rate_limit is not supported" },
		{ "basic_auth_users:\n  alice: secret\n",
		  ":2: alice: the password must be hashed" },
		{ "basic_auth_users:\n  alice: $2y$31$abcdefghijklmnopqrstuuDrWqQl9tSfHQq6xuKqLU"
		  "EVI0Gl8Dr5G\n",
		  ":2: alice: the cost" },
		/* no password has these: the salt's last character, the hash's, one that is none */
		{ "basic_auth_users:\n  alice: $2y$04$abcdefghijklmnopqrstuv2r9OfJnfCsdneAXAGHnS4U"
		  "pFFP8WIrW\n",
		  ":2: alice: no password has this hash" },
		{ "basic_auth_users:\n  alice: $2y$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4U"
		  "pFFP8WIrX\n",
		  ":2: alice: the password must be hashed" },
		{ "basic_auth_users:\n  alice: $2y$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4U"
		  "pFFP8W-rW\n",
		  ":2: alice: the password must be hashed" },
		{ "basic_auth_users:\n  alice: $2y$4x$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4U"
		  "pFFP8WIrW\n",
		  ":2: alice: the password must be hashed" },
		{ "tls_server_config:\n  key_file: a.crt\n", "a.crt: this key is open to every" },
		{ "tls_server_config:\n  key_file: open.key\n", "chmod o= " },
		{ "tls_server_config:\n  key_file: weak.key\n",
		  "weak.key: a key of RSA with 1024 bits can be broken" },
		{ "tls_server_config:\n  key_file: 512.key\n",
		  "512.key: a key of RSA with 512 bits can be broken" },
		{ "basic_auth_users:\n  alice: {\n", "web.yml:" },
		{ "a: b: c\n", "web.yml:1:" },
		{ "[1, 2]\n", ":1: expected key" },
		{ "? [a]\n: b\n", ":1: a key must be" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct web_config config;
		struct err err = { "" };

		write_file(config_path, row[i].text);
		if (!web_config_read(config_path, &config, &err))
			fail_msg("was taken: %s", row[i].text);
		if (!strstr(err.text, row[i].why))
			fail_msg("%s gave: %s", row[i].text, err.text);
	}
}

static void missing_file(void **state)
{
	(void)state;
	struct web_config config;
	struct err err = { "" };

	assert_int_equal(web_config_read("/nowhere/web.yml", &config, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/nowhere/web.yml"));
}

static void addresses(void **state)
{
	(void)state;
	static const struct {
		const char *text, *name; /* NULL: refused */
		bool is_loopback;
	} row[] = {
		{ "127.0.0.1:10410", "127.0.0.1:10410", true },
		{ "127.9.9.9:0", "127.9.9.9:0", true },
		{ "[::1]:80", "[::1]:80", true },
		{ "[::ffff:127.0.0.1]:80", "[::ffff:127.0.0.1]:80", true },
		{ "[::ffff:10.0.0.1]:80", "[::ffff:10.0.0.1]:80", false },
		{ "0.0.0.0:10410", "0.0.0.0:10410", false },
		{ ":10410", "[::]:10410", false },
		{ "[::]:65535", "[::]:65535", false },
		{ "10410", NULL, false },
		{ "127.0.0.1:", NULL, false },
		{ "127.0.0.1:65536", NULL, false },
		{ "127.0.0.1:http", NULL, false },
		{ "::1:80", NULL, false },
		{ "[::1:80", NULL, false },
		{ "[::1]80", NULL, false },
		{ "no such host.invalid:80", NULL, false },
		{ "", NULL, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct listen_address address;
		struct err err = { "" };
		char name[80];
		int rc = listen_parse(row[i].text, &address, &err);

		if (!rc != !!row[i].name)
			fail_msg("%s: %d %s", row[i].text, rc, err.text);
		if (rc)
			continue;
		assert_string_equal(listen_name(&address, name, sizeof(name)), row[i].name);
		assert_int_equal(address.is_loopback, row[i].is_loopback);
	}
}

static void taken_port(void **state)
{
	(void)state;
	struct listen_address address, again;
	char pid[40];
	struct err err = { "" };
	int fd, fd2;

	assert_int_equal(listen_parse("127.0.0.1:0", &address, &err), 0);
	assert_int_equal(listen_open(&address, &fd, &err), 0);
	again = address;
	assert_true(((struct sockaddr_in *)&address.addr)->sin_port != 0);
	assert_int_equal(listen_open(&again, &fd2, &err), -EADDRINUSE);
	snprintf(pid, sizeof(pid), "(pid %d)", getpid());
	if (!strstr(err.text, pid) || !strstr(err.text, "--listen"))
		fail_msg("%s", err.text);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_all),    cmocka_unit_test(refuses),
		cmocka_unit_test(missing_file), cmocka_unit_test(addresses),
		cmocka_unit_test(taken_port),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
