/* http.h: a small web server: addresses, access, limits for clients */
#ifndef SESSION_HTTP_H
#define SESSION_HTTP_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#include "base/err.h"

/* ---- addresses ADDR:PORT and unix:PATH, and their listening sockets */

enum {
	LISTEN_NAME_MAX = 128, /* the longest is "unix:" and a path */
	/* Connections only wait here to be accepted; the server's own limits choose among them. */
	LISTEN_BACKLOG = 128,
};

struct listen_address {
	struct sockaddr_storage addr;
	socklen_t size;
	bool is_loopback; /* reachable only from this machine */
	char host[256];   /* as given; "" for all addresses */
};

/**
 * Parse an address: "127.0.0.1:10410", "[::1]:10410", "localhost:10410"; ":10410" and "[::]:10410" are all addresses of
 * both families. Port 0: the kernel picks one. "unix:/run/m1top.sock": a Unix socket.
 *
 * @return 0; -EINVAL showing the expected form, or an unknown host
 */
int listen_parse(const char *text, struct listen_address *ret, struct err *err);

/**
 * Open a listening socket, non-blocking and close-on-exec. The file of a Unix socket is created with the rights of the
 * user who called sudo, and replaces one that no process listens on.
 *
 * @address  port 0 is replaced by the port that was picked
 * @return   0; -EADDRINUSE naming the process that has the port; -EACCES, -EADDRNOTAVAIL saying what to do
 */
int listen_open(struct listen_address *address, int *ret_fd, struct err *err);

/** Remove the file of a Unix socket that listen_open created; no effect on other addresses. */
void listen_remove(const struct listen_address *address);

/** Format an address: "127.0.0.1:10410", "[::1]:10410", "unix:/run/m1top.sock". @return buf */
const char *listen_name(const struct listen_address *address, char *buf, size_t size);

/* ---- access: the host that a request names, and the user behind a Unix socket */

struct admit {
	const struct listen_address *address;
	const char *hosts; /* comma-separated further names of this server; NULL: none */
	bool any_host;     /* accept any host */
	bool user_only;    /* on a Unix socket: accept only `user` and root */
	uid_t user;
};

/**
 * Load the libraries that web_config_read, http_open and http_page_new need.
 *
 * @return 0; -ENOTSUP naming the one that is missing
 */
int http_load(struct err *err);

/* ---- TLS and passwords from a web configuration file of Prometheus' exporters */

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
 * Read a web configuration file and the files that it names (relative to its own folder). Unknown keys are errors, so
 * that no protection is ignored silently.
 * Format: https://github.com/prometheus/exporter-toolkit/blob/master/docs/web-configuration.md
 *
 * @return 0; -EINVAL or -errno with file and line
 */
int web_config_read(const char *path, struct web_config *ret, struct err *err);

/** Release, and wipe the key. NULL is accepted. */
void web_config_fini(struct web_config *config);

/* ---- a small web server that sends pages of its caller and limits its clients */

struct http;

/** Content of a page, shared by all connections that send it. */
struct http_page;

struct http_request {
	const char *path;   /* without the query */
	const char *accept; /* NULL: no such header */
};

struct http_config {
	int listen_fd;                /* from listen_open; owned by the server after http_open */
	const struct admit *admit;    /* outlives the server */
	const struct web_config *web; /* outlives the server; NULL: neither TLS nor passwords */
	/* Get the page for GET and HEAD. The callee owns it and may free it in the next call, or once http_run has
	 * returned. NULL: internal error. */
	const struct http_page *(*answer)(void *data, const struct http_request *request);
	void *data;
};

/* Limits besides those of http/internal.h. A slow client is disconnected: it has 10 s to send its request and to
 * take the answer, 120 s between two requests. */
enum {
	HTTP_REQUEST_BYTES = 16 * 1024,
	HTTP_BUSY_S = 10,
	HTTP_IDLE_S = 120,
};

/**
 * Start a server. Everything happens in http_run, in the caller's thread, except hashing passwords.
 *
 * @return 0; -EINVAL: certificate and key do not match; -ENOMEM
 */
int http_open(const struct http_config *config, struct http **ret, struct err *err);

/** Close all connections. NULL is accepted. */
void http_close(struct http *http);

/** Get the thread that hashes passwords. @return whether there is one */
bool http_worker(const struct http *http, pthread_t *ret);

/** Get a descriptor that is readable when http_run has work. */
int http_fd(const struct http *http);

/** Get the time until http_run must be called, ms. @return 0 … 1000 */
int http_timeout_ms(const struct http *http);

/** Accept, read, answer and disconnect: everything possible without waiting. */
void http_run(struct http *http);

/**
 * Create a page.
 *
 * @status  200, 404, 503 …
 * @type    Content-Type
 * @bytes   from malloc(); owned by the page from now on, also on failure
 * @return  0 or -ENOMEM
 */
int http_page_new(unsigned status, const char *type, char *bytes, size_t n, struct http_page **ret);

/** Free a page. Connections that send it still finish. NULL is accepted. */
void http_page_free(struct http_page *page);

#endif
