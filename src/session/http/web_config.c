#include <crypt.h>
#include <ctype.h>
#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <yaml.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/file.h"
#include "session/http.h"
#include "session/http/library.h"

/* Minimum of Debian's OpenSSL and of NIST SP 800-57: RSA of 2048 bits, elliptic curves of 224. */
#define WEAKEST GNUTLS_SEC_PARAM_MEDIUM

static int check_rights(const char *path, struct err *err)
{
	struct stat st;

	if (stat(path, &st))
		return err_set(err, errno, "%s: %s", path, strerror(errno));
	if (st.st_mode & S_IRWXO)
		return err_set(err, EINVAL,
			       "%s: this key is open to every user of this machine: chmod o= %s",
			       path, path);
	return 0;
}

static int check_strength(const char *path, gnutls_x509_privkey_t key, struct err *err)
{
	unsigned bits = 0;
	int algorithm = library.gnutls_x509_privkey_get_pk_algorithm2(key, &bits);

	if (library.gnutls_pk_bits_to_sec_param((gnutls_pk_algorithm_t)algorithm, bits) >= WEAKEST)
		return 0;
	return err_set(err, EINVAL,
		       "%s: a key of %s with %u bits can be broken: RSA needs 2048, elliptic "
		       "curves 256",
		       path, library.gnutls_pk_algorithm_get_name((gnutls_pk_algorithm_t)algorithm),
		       bits);
}

/*
 * Reject a key file that users other than owner and group may access, that is not an unencrypted private key in PEM, or
 * whose key is weak, such as RSA below 2048 bits.
 *
 * @path  of the file, for its rights and for messages
 * @pem   its content
 * @return 0 or -EINVAL
 */
static int tls_key_check(const char *path, const char *pem, struct err *err)
{
	const gnutls_datum_t text = { (unsigned char *)pem, (unsigned)strlen(pem) };
	gnutls_x509_privkey_t key;
	int rc = check_rights(path, err);

	if (rc)
		return rc;
	if (library.gnutls_x509_privkey_init(&key))
		return err_set(err, ENOMEM, "out of memory");
	rc = library.gnutls_x509_privkey_import2(key, &text, GNUTLS_X509_FMT_PEM, NULL, 0);
	if (rc)
		rc = err_set(err, EINVAL, "%s: not a private key: %s", path,
			     library.gnutls_strerror(rc));
	else
		rc = check_strength(path, key, err);
	library.gnutls_x509_privkey_deinit(key);
	return rc;
}

enum { HASH_LENGTH = 60, SETTING_LENGTH = 29 };

/* Whether the hash has bcrypt's form. A character is six bits; only the upper four of the last are used, and the rest
 * is 0. */
static bool bcrypt_has_form(const char *hash)
{
	static const char digits[] =
		"./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

	return strlen(hash) == HASH_LENGTH && strncmp(hash, "$2", 2) == 0 &&
	       strchr("aby", hash[2]) && hash[3] == '$' && isdigit((unsigned char)hash[4]) &&
	       isdigit((unsigned char)hash[5]) && hash[6] == '$' &&
	       strspn(hash + 7, digits) == HASH_LENGTH - 7 &&
	       (strchr(digits, hash[HASH_LENGTH - 1]) - digits) % 4 == 0;
}

/* Whether a password can have this hash: salts have unused bits, too, and libcrypt may lack the variant. Tested at the
 * lowest cost, on which the salt does not depend. */
static bool bcrypt_is_possible(const char *hash)
{
	AUTO_FREE struct crypt_data *crypt = calloc(1, sizeof(*crypt));
	char setting[HASH_LENGTH + 1];
	const char *made;

	snprintf(setting, sizeof(setting), "%.4s04%s", hash, hash + 6);
	made = crypt ? crypt_r("", setting, crypt) : NULL;
	return made && strncmp(made, setting, SETTING_LENGTH) == 0;
}

/* A cost of 14 takes a CPU a second per password; higher costs are rejected. */
enum { FILE_MAX = 1 << 20, COST_MIN = 4, COST_MAX = 14, USERS_MAX = 256, PATH_SIZE = 1024 };

struct parse {
	const char *path;
	yaml_document_t document;
	struct web_config config;
	struct err *err;
};

typedef int read_fn(struct parse *parse, const char *key, const yaml_node_t *value);

/* Set an error at a node: "FILE:LINE: " and a message. @return -EINVAL */
#define fail_at(parse, node, ...)                          \
	((void)err_set((parse)->err, EINVAL, __VA_ARGS__), \
	 err_prefix((parse)->err, EINVAL, "%s:%zu: ", (parse)->path, (node)->start_mark.line + 1))

static const char *scalar(const yaml_node_t *node)
{
	return node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

/* Call `read` for each pair. An empty value ("basic_auth_users:") is an empty mapping. */
static int each_pair(struct parse *parse, const yaml_node_t *node, read_fn *read)
{
	if (node->type == YAML_SCALAR_NODE && node->data.scalar.length == 0)
		return 0;
	if (node->type != YAML_MAPPING_NODE)
		return fail_at(parse, node, "expected key: value pairs");
	for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
	     pair < node->data.mapping.pairs.top; pair++) {
		const yaml_node_t *key = yaml_document_get_node(&parse->document, pair->key);
		const yaml_node_t *value = yaml_document_get_node(&parse->document, pair->value);

		if (!scalar(key))
			return fail_at(parse, key, "a key must be a plain word");

		int rc = read(parse, scalar(key), value);

		if (rc)
			return rc;
	}
	return 0;
}

/* Make a path relative to the folder of the configuration. */
static void path_relative_to_config(const struct parse *parse, const char *name, char *buf,
				    size_t size)
{
	const char *slash = strrchr(parse->path, '/');
	int folder = slash && *name != '/' ? (int)(slash - parse->path) + 1 : 0;

	snprintf(buf, size, "%.*s%s", folder, parse->path, name);
}

/* @ret  untouched on failure */
static int read_whole(const char *path, char **ret, struct err *err)
{
	char *text;
	size_t n;
	int rc = file_read(path, FILE_MAX, &text, &n);

	if (rc)
		return err_set(err, -rc, "%s: %s", path, file_error(rc));
	if (!n) {
		free(text);
		return err_set(err, EINVAL, "%s: is empty", path);
	}
	*ret = text;
	return 0;
}

/* @path  receives the file's name, PATH_SIZE bytes */
static int read_file_of(struct parse *parse, const yaml_node_t *value, char *path, char **ret)
{
	if (!scalar(value) || !*scalar(value))
		return fail_at(parse, value, "expected the name of a file");
	path_relative_to_config(parse, scalar(value), path, PATH_SIZE);
	free(*ret);
	*ret = NULL;
	return read_whole(path, ret, parse->err);
}

static int read_key(struct parse *parse, const yaml_node_t *value)
{
	char path[PATH_SIZE];
	int rc = read_file_of(parse, value, path, &parse->config.key);

	assert(rc || parse->config.key);
	return rc ? rc : tls_key_check(path, parse->config.key, parse->err);
}

static int read_min_version(struct parse *parse, const yaml_node_t *value)
{
	const char *version = scalar(value);

	if (version && strcmp(version, "TLS13") == 0)
		parse->config.priorities = "NORMAL:-VERS-ALL:+VERS-TLS1.3";
	else if (!version || strcmp(version, "TLS12") != 0)
		return fail_at(parse, value, "min_version must be TLS12 or TLS13");
	return 0;
}

static int read_tls(struct parse *parse, const char *key, const yaml_node_t *value)
{
	char path[PATH_SIZE];

	if (strcmp(key, "cert_file") == 0)
		return read_file_of(parse, value, path, &parse->config.cert);
	if (strcmp(key, "key_file") == 0)
		return read_key(parse, value);
	if (strcmp(key, "min_version") == 0)
		return read_min_version(parse, value);
	if (strcmp(key, "client_auth_type") == 0 && scalar(value) &&
	    strcmp(scalar(value), "NoClientCert") == 0)
		return 0;
	return fail_at(parse, value,
		       "tls_server_config: %s is not supported; only cert_file, key_file and "
		       "min_version are",
		       key);
}

static int read_user(struct parse *parse, const char *key, const yaml_node_t *value)
{
	struct web_config *config = &parse->config;
	const char *hash = scalar(value);
	long cost;

	if (!hash || !bcrypt_has_form(hash))
		return fail_at(parse, value,
			       "%s: the password must be hashed with bcrypt: htpasswd -nBC 10 NAME",
			       key);
	cost = strtol(hash + 4, NULL, 10);
	if (cost < COST_MIN || cost > COST_MAX)
		return fail_at(parse, value, "%s: the cost of the hash must be 4 to 14", key);
	if (!bcrypt_is_possible(hash))
		return fail_at(parse, value, "%s: no password has this hash", key);
	if (config->n_users == USERS_MAX)
		return fail_at(parse, value, "%s: too many users", key);

	struct web_user *user = &config->user[config->n_users];

	user->name = strdup(key);
	user->hash = strdup(hash);
	config->n_users++;
	return user->name && user->hash ? 0 : err_set(parse->err, ENOMEM, "out of memory");
}

static int read_top(struct parse *parse, const char *key, const yaml_node_t *value)
{
	if (strcmp(key, "tls_server_config") == 0)
		return each_pair(parse, value, read_tls);
	if (strcmp(key, "basic_auth_users") == 0)
		return each_pair(parse, value, read_user);
	return fail_at(parse, value,
		       "%s is not supported; only tls_server_config and basic_auth_users are", key);
}

static int web_config_load(struct parse *parse, const char *text)
{
	yaml_parser_t parser;
	int rc = 0;

	if (!yaml_parser_initialize(&parser))
		return err_set(parse->err, ENOMEM, "out of memory");
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, strlen(text));
	if (!yaml_parser_load(&parser, &parse->document))
		rc = err_set(parse->err, EINVAL, "%s:%zu: %s", parse->path,
			     parser.problem_mark.line + 1,
			     parser.problem ? parser.problem : "not YAML");
	yaml_parser_delete(&parser);
	return rc;
}

static int interpret(struct parse *parse)
{
	yaml_node_t *root = yaml_document_get_root_node(&parse->document);
	int rc = 0;

	parse->config.priorities = "NORMAL:-VERS-TLS1.0:-VERS-TLS1.1";
	parse->config.user = calloc(USERS_MAX, sizeof(*parse->config.user));
	if (!parse->config.user)
		return err_set(parse->err, ENOMEM, "out of memory");
	if (root)
		rc = each_pair(parse, root, read_top);
	if (!rc && !parse->config.cert != !parse->config.key)
		rc = err_set(parse->err, EINVAL,
			     "%s: tls_server_config needs both cert_file and key_file",
			     parse->path);
	return rc;
}

int web_config_read(const char *path, struct web_config *ret, struct err *err)
{
	struct parse parse = { .path = path, .err = err };
	AUTO_FREE char *text = NULL;
	int rc = read_whole(path, &text, err);

	if (!text)
		return rc;
	rc = web_config_load(&parse, text);
	if (rc)
		return rc;
	rc = interpret(&parse);
	yaml_document_delete(&parse.document);
	if (rc) {
		web_config_fini(&parse.config);
		return rc;
	}
	*ret = parse.config;
	return 0;
}

void web_config_fini(struct web_config *config)
{
	if (!config)
		return;
	if (config->key)
		explicit_bzero(config->key, strlen(config->key));
	free(config->cert);
	free(config->key);
	for (size_t i = 0; i < config->n_users; i++) {
		free(config->user[i].name);
		free(config->user[i].hash);
	}
	free(config->user);
	*config = (struct web_config){ 0 };
}
