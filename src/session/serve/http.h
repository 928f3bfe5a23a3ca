/* http.h: a small web server that answers from what it is given; limits on everything a client can do */
#ifndef SESSION_SERVE_HTTP_H
#define SESSION_SERVE_HTTP_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "session/access/admit.h"
#include "session/access/web_config.h"

struct http;

/** What a page sends, shared by all connections that send it. */
struct http_page;

struct http_request {
	const char *path;   /* without "?…" */
	const char *accept; /* NULL: the client does not say */
};

struct http_config {
	int listen_fd;                /* of listen_open; the server's from http_open on */
	const struct admit *admit;    /* outlives the server */
	const struct web_config *web; /* outlives the server; NULL: neither TLS nor passwords */
	/* What to send, for GET and HEAD alike. The page stays the callee's and may be freed in the
	 * next call, or once http_run has returned. NULL: an error of ours. */
	const struct http_page *(*answer)(void *data, const struct http_request *request);
	void *data;
};

/* Beside the limits of slots.h and guess_queue.h. A slow client is cut off after so many seconds: 10 s
 * to send its request and to take the answer, 120 s between two requests. */
enum {
	HTTP_REQUEST_BYTES = 16 * 1024,
	HTTP_BUSY_S = 10,
	HTTP_IDLE_S = 120,
};

/**
 * Begin to serve. Everything happens in http_run, in the caller's thread, but for the hashing of
 * passwords.
 *
 * @return 0; -EINVAL: certificate and key do not go together; -ENOMEM
 */
int http_open(const struct http_config *config, struct http **ret, struct err *err);

/** End all connections. NULL is accepted. */
void http_close(struct http *http);

/** The thread that hashes passwords. @return whether there is one */
bool http_worker(const struct http *http, pthread_t *ret);

/** Readable when http_run has something to do. */
int http_fd(const struct http *http);

/** When http_run must be called at the latest, in milliseconds. @return 0 … 1000 */
int http_timeout_ms(const struct http *http);

/** Accept, read, answer, cut off: all that can be done without waiting. */
void http_run(struct http *http);

/**
 * @status  200, 404, 503 …
 * @type    Content-Type
 * @bytes   from malloc(); the page's from now on, also on failure
 * @return  0 or -ENOMEM
 */
int http_page_new(unsigned status, const char *type, char *bytes, size_t n, struct http_page **ret);

/** Connections that send it still finish. NULL is accepted. */
void http_page_free(struct http_page *page);

#endif
