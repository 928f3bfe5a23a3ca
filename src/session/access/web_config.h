/* web_config.h: TLS and passwords from a file as Prometheus' exporters read it */
#ifndef SESSION_ACCESS_WEB_CONFIG_H
#define SESSION_ACCESS_WEB_CONFIG_H

#include <stddef.h>

#include "base/err.h"

struct web_user {
	char *name;
	char *hash; /* bcrypt */
};

struct web_config {
	char *cert, *key;       /* PEM; both NULL: no TLS */
	const char *priorities; /* for GnuTLS: the TLS versions allowed */
	struct web_user *user;
	size_t n_users; /* 0: no authentication */
};

/**
 * Read the file and those that it names (relative to its own folder). What is not known is refused,
 * so that nothing that was meant to protect is passed over.
 * Format: https://github.com/prometheus/exporter-toolkit/blob/master/docs/web-configuration.md
 *
 * @return 0; -EINVAL or -errno with file and line
 */
int web_config_read(const char *path, struct web_config *ret, struct err *err);

/** Release, and wipe the key. NULL is accepted. */
void web_config_fini(struct web_config *config);

#endif
