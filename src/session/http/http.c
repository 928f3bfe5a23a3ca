#include <arpa/inet.h>
#include <crypt.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/rights.h"
#include "session/http.h"
#include "session/http/internal.h"
#include "session/http/library.h"

/* ---- passwords ---- */

enum { PASSWORD_MAX = 128 };

/* A password to be hashed. */
struct question {
	void *waiter;
	size_t user; /* its index */
	bool exists; /* false: another user's hash is used, so that it takes the same time */
	char password[];
};

struct auth {
	const struct web_config *config;
	auth_done_fn *done;
	struct crypt_data crypt; /* used by the thread */
	pthread_t thread;
	pthread_mutex_t lock; /* protects the members below */
	pthread_cond_t wake;
	bool is_ending;
	struct guess_queue queue;
	char (*known)[PASSWORD_MAX]; /* by user: last correct password; "": none yet */
};

/* Compare in a time that depends only on the length of `guess`. */
static bool are_equal(const char *secret, const char *guess)
{
	size_t n = strlen(guess), n_secret = strlen(secret);
	unsigned char differ = n_secret != n;

	for (size_t i = 0; i < n; i++)
		differ |= (unsigned char)(secret[i < n_secret ? i : 0] ^ guess[i]);
	return !differ;
}

/* @return index; n_users: not found */
static size_t auth_find_user(const struct web_config *config, const char *name)
{
	size_t user = 0;

	while (user < config->n_users && strcmp(config->user[user].name, name) != 0)
		user++;
	return user;
}

/* Hashing thread */

static void question_free(struct question *question)
{
	explicit_bzero(question->password, strlen(question->password));
	free(question);
}

static bool question_is_right(struct auth *auth, const struct question *question)
{
	const char *hash = auth->config->user[question->user].hash;
	const char *got = crypt_r(question->password, hash, &auth->crypt);

	return got && are_equal(hash, got) && question->exists;
}

static void auth_answer(struct auth *auth, struct question *question)
{
	bool right = question_is_right(auth, question);

	size_t n = strlen(question->password) + 1;

	if (right && n <= PASSWORD_MAX) {
		pthread_mutex_lock(&auth->lock);
		memcpy(auth->known[question->user], question->password, n);
		pthread_mutex_unlock(&auth->lock);
	}
	auth->done(question->waiter, right ? AUTH_OK : AUTH_WRONG);
	question_free(question);
}

/* Wait for a question, the end or a timeout. Call with the lock held. */
static void auth_wait_for_question(struct auth *auth, uint64_t now_ns, uint64_t wait_ns)
{
	uint64_t end_ns = now_ns + wait_ns;
	const struct timespec end = { .tv_sec = (time_t)(end_ns / NS_PER_S),
				      .tv_nsec = (long)(end_ns % NS_PER_S) };

	if (wait_ns == UINT64_MAX)
		pthread_cond_wait(&auth->wake, &auth->lock);
	else
		pthread_cond_timedwait(&auth->wake, &auth->lock, &end);
}

/* @return NULL: the thread must end */
static struct question *auth_next_question(struct auth *auth)
{
	struct question *question = NULL;
	uint64_t wait_ns;

	pthread_mutex_lock(&auth->lock);
	while (!auth->is_ending) {
		uint64_t now_ns = clock_now_ns();

		question = guess_queue_take(&auth->queue, now_ns, &wait_ns);
		if (question)
			break;
		auth_wait_for_question(auth, now_ns, wait_ns);
	}
	pthread_mutex_unlock(&auth->lock);
	return question;
}

static void *auth_hash_all(void *data)
{
	struct auth *auth = data;
	struct question *question;

	rights_drop(RIGHT_REAL_TIME);
	while ((question = auth_next_question(auth)))
		auth_answer(auth, question);
	return NULL;
}

static int auth_start(struct auth *auth)
{
	sigset_t all, before;
	int rc;

	/* signals are handled by the main thread */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&auth->thread, NULL, auth_hash_all, auth);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -rc;
}

/* Called by the server */

static void auth_release(struct auth *auth)
{
	if (auth->known)
		explicit_bzero(auth->known, auth->config->n_users * sizeof(*auth->known));
	explicit_bzero(&auth->crypt, sizeof(auth->crypt));
	pthread_mutex_destroy(&auth->lock);
	pthread_cond_destroy(&auth->wake);
	free(auth->known);
	free(auth);
}

static void auth_init_lock(struct auth *auth)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&auth->wake, &attr);
	pthread_condattr_destroy(&attr);
	pthread_mutex_init(&auth->lock, NULL);
}

int auth_new(const struct web_config *config, auth_done_fn *done, struct auth **ret)
{
	struct auth *auth = calloc(1, sizeof(*auth));
	int rc;

	if (!auth)
		return -ENOMEM;
	auth->config = config;
	auth->done = done;
	auth_init_lock(auth);
	auth->known = calloc(config->n_users, sizeof(*auth->known));
	rc = auth->known ? auth_start(auth) : -ENOMEM;
	if (rc) {
		auth_release(auth);
		return rc;
	}
	*ret = auth;
	return 0;
}

void auth_free(struct auth *auth)
{
	if (!auth)
		return;
	pthread_mutex_lock(&auth->lock);
	auth->is_ending = true;
	pthread_cond_signal(&auth->wake);
	pthread_mutex_unlock(&auth->lock);
	pthread_join(auth->thread, NULL);
	for (unsigned i = 0; i < auth->queue.n; i++) {
		struct question *question = auth->queue.guess[i].what;

		auth->done(question->waiter, AUTH_BUSY);
		question_free(question);
	}
	auth_release(auth);
}

enum auth_verdict auth_recall(struct auth *auth, const struct credentials *credentials)
{
	size_t user = auth_find_user(auth->config, credentials->user);
	enum auth_verdict verdict = AUTH_PENDING;

	if (user == auth->config->n_users || strlen(credentials->password) >= PASSWORD_MAX)
		return AUTH_PENDING;
	pthread_mutex_lock(&auth->lock);
	if (*auth->known[user] && are_equal(auth->known[user], credentials->password))
		verdict = AUTH_OK;
	pthread_mutex_unlock(&auth->lock);
	return verdict;
}

static struct question *question_new(const struct auth *auth, const struct credentials *credentials,
				     void *waiter)
{
	size_t n = strlen(credentials->password) + 1;
	struct question *question = calloc(1, sizeof(*question) + n);
	size_t user = auth_find_user(auth->config, credentials->user);

	if (!question)
		return NULL;
	question->waiter = waiter;
	question->exists = user < auth->config->n_users;
	question->user = question->exists ? user : 0;
	memcpy(question->password, credentials->password, n);
	return question;
}

enum auth_verdict auth_ask(struct auth *auth, const struct credentials *credentials,
			   struct peer peer, void *waiter)
{
	struct question *question = question_new(auth, credentials, waiter);
	bool taken;

	if (!question)
		return AUTH_BUSY;
	pthread_mutex_lock(&auth->lock);
	taken = guess_queue_put(&auth->queue, peer, question, clock_now_ns());
	pthread_cond_signal(&auth->wake);
	pthread_mutex_unlock(&auth->lock);
	if (taken)
		return AUTH_PENDING;
	question_free(question);
	return AUTH_BUSY;
}

#define SCHEME "Basic "

/* Split "user:password" of n bytes at the first colon. @return 0 or -errno */
static int credentials_split(const char *text, size_t n, struct credentials *ret)
{
	char *copy, *colon;

	if (memchr(text, '\0', n) || !memchr(text, ':', n))
		return -EINVAL;
	copy = strndup(text, n);
	if (!copy)
		return -ENOMEM;
	colon = strchr(copy, ':');
	*colon = '\0';
	*ret = (struct credentials){ .user = copy, .password = colon + 1, .size = n };
	return 0;
}

int credentials_parse(const char *header, struct credentials *ret)
{
	gnutls_datum_t coded, plain;
	int rc;

	if (!header || ascii_ncasecmp(header, SCHEME, strlen(SCHEME)) != 0)
		return -EINVAL;
	header += strlen(SCHEME);
	header += strspn(header, " ");
	coded = (gnutls_datum_t){ (unsigned char *)header, (unsigned)strlen(header) };
	if (library.gnutls_base64_decode2(&coded, &plain))
		return -EINVAL;
	rc = credentials_split((const char *)plain.data, plain.size, ret);
	explicit_bzero(plain.data, plain.size);
	free(plain.data);
	return rc;
}

void credentials_fini(struct credentials *credentials)
{
	if (credentials->user)
		explicit_bzero(credentials->user, credentials->size);
	free(credentials->user);
	*credentials = (struct credentials){ 0 };
}

/* ---- the host ---- */

/* Copy the host of "[::1]:80", "host:80" or "host." without port, brackets and final dot. @return false: it does not
 * fit */
static bool bare_host(const char *header, char *ret, size_t size)
{
	bool is_v6 = *header == '[';
	size_t n = strcspn(header += is_v6, is_v6 ? "]" : ":");

	if (n && header[n - 1] == '.')
		n--;
	return (size_t)snprintf(ret, size, "%.*s", (int)n, header) < size;
}

/* Parse an address; IPv4 becomes IPv4-mapped IPv6, so that one comparison suffices. @return false: not an address */
static bool address_of(const char *host, struct in6_addr *ret)
{
	char mapped[INET6_ADDRSTRLEN + sizeof("::ffff:")];

	snprintf(mapped, sizeof(mapped), "::ffff:%.45s", host);
	return inet_pton(AF_INET6, host, ret) == 1 || inet_pton(AF_INET6, mapped, ret) == 1;
}

/* Whether the connection's local address is `wanted`; the socket may listen on all addresses. */
static bool is_local_address(int fd, const struct in6_addr *wanted)
{
	struct listen_address here = { .size = sizeof(here.addr) };
	char name[LISTEN_NAME_MAX], host[LISTEN_NAME_MAX];
	struct in6_addr local;

	if (getsockname(fd, (struct sockaddr *)&here.addr, &here.size))
		return false;
	return bare_host(listen_name(&here, name, sizeof(name)), host, sizeof(host)) &&
	       address_of(host, &local) && memcmp(&local, wanted, sizeof(local)) == 0;
}

static bool is_in_list(const char *list, const char *host)
{
	for (size_t n; list && *list; list += n) {
		list += strspn(list, ", ");
		n = strcspn(list, ", ");
		if (n == strlen(host) && ascii_ncasecmp(list, host, n) == 0)
			return true;
	}
	return false;
}

static bool is_own_name(const struct listen_address *address, const char *host)
{
	char machine[256] = "";

	if (*address->host && ascii_casecmp(host, address->host) == 0)
		return true;
	if (address->is_loopback)
		return ascii_casecmp(host, "localhost") == 0;
	return !gethostname(machine, sizeof(machine) - 1) && ascii_casecmp(host, machine) == 0;
}

static bool is_for_us(const struct admit *admit, int fd, const char *header)
{
	char host[256];
	struct in6_addr address;

	if (!bare_host(header, host, sizeof(host)) || !*host)
		return false;
	if (is_own_name(admit->address, host) || is_in_list(admit->hosts, host))
		return true;
	return address_of(host, &address) && is_local_address(fd, &address);
}

/*
 * Whether a request's host, or its user on a Unix socket, is admitted. A page of another site whose name resolves to this machine
 * ("DNS rebinding") may read the answers to its browser, but its requests name that site as host. Accepted are: the
 * connection's local address, the name in --listen, localhost for a loopback address, else the machine's own name, and
 * `hosts`. The port is not compared: `ssh -L` and others change it. Browsers do not use Unix sockets, and always send
 * the header.
 *
 * @host  the header; NULL: there is none
 */
static bool is_admitted(const struct admit *admit, const struct slot *slot, const char *host)
{
	uint64_t user = slot->peer.number;

	if (admit->address->addr.ss_family == AF_UNIX)
		return !admit->user_only || user == admit->user || user == 0;
	return admit->any_host || !host || is_for_us(admit, slot->fd, host);
}

struct http_page {
	unsigned status;
	struct MHD_Response *response;
};

/* A connection. Its slot keeps the deadline: libmicrohttpd's own timeout restarts with each byte. */
struct visit {
	struct slot *slot;
	struct MHD_Connection *connection;
	bool is_decided; /* `verdict` is valid */
	enum auth_verdict verdict;
};

enum refusal {
	NOT_ALLOWED,
	OTHER_HOST,
	OTHER_USER,
	WRONG_PASSWORD,
	TOO_MANY_GUESSES,
	OUR_FAULT,
	N_REFUSALS,
};

struct http {
	struct http_config config;
	struct MHD_Daemon *daemon;
	struct auth *auth; /* NULL: no passwords */
	struct http_page *refusal[N_REFUSALS];
	int fd; /* epoll descriptor */
	bool has_started;
	struct err last_error; /* libmicrohttpd's messages while starting */
	struct slots slots;
	struct visit visit[ARRAY_SIZE(((struct slots *)NULL)->slot)]; /* by slot */
};

/* ---- pages ---- */

static int page_of(unsigned status, const char *type, void *bytes, size_t n,
		   enum MHD_ResponseMemoryMode mode, struct http_page **ret)
{
	struct http_page *page = calloc(1, sizeof(*page));
	struct MHD_Response *response = library.MHD_create_response_from_buffer(n, bytes, mode);

	if (!response && mode == MHD_RESPMEM_MUST_FREE)
		free(bytes);
	if (!page || !response ||
	    !library.MHD_add_response_header(response, "Content-Type", type) ||
	    !library.MHD_add_response_header(response, "X-Content-Type-Options", "nosniff")) {
		if (response)
			library.MHD_destroy_response(response);
		free(page);
		return -ENOMEM;
	}
	page->status = status;
	page->response = response;
	*ret = page;
	return 0;
}

int http_page_new(unsigned status, const char *type, char *bytes, size_t n, struct http_page **ret)
{
	return page_of(status, type, bytes, n, MHD_RESPMEM_MUST_FREE, ret);
}

void http_page_free(struct http_page *page)
{
	if (!page)
		return;
	library.MHD_destroy_response(page->response);
	free(page);
}

static int make_refusals(struct http *http)
{
	static const struct {
		unsigned status;
		const char *text, *header, *value;
	} table[N_REFUSALS] = {
		[NOT_ALLOWED] = { MHD_HTTP_METHOD_NOT_ALLOWED, "Only GET and HEAD are supported.\n",
				  MHD_HTTP_HEADER_ALLOW, "GET, HEAD" },
		[OTHER_HOST] = { MHD_HTTP_FORBIDDEN,
				 "The Host of this request is no address or name of this server; "
				 "m1top serve --host NAME adds a name.\n",
				 MHD_HTTP_HEADER_CACHE_CONTROL, "no-store" },
		[OTHER_USER] = { MHD_HTTP_FORBIDDEN, "For another user only (--user-only).\n",
				 MHD_HTTP_HEADER_CACHE_CONTROL, "no-store" },
		[WRONG_PASSWORD] = { MHD_HTTP_UNAUTHORIZED, "Unauthorized\n",
				     MHD_HTTP_HEADER_WWW_AUTHENTICATE,
				     "Basic realm=\"m1top\", charset=\"UTF-8\"" },
		[TOO_MANY_GUESSES] = { MHD_HTTP_TOO_MANY_REQUESTS, "Too many wrong passwords\n",
				       MHD_HTTP_HEADER_RETRY_AFTER, "1" },
		[OUR_FAULT] = { MHD_HTTP_INTERNAL_SERVER_ERROR, "m1top is out of memory\n",
				MHD_HTTP_HEADER_RETRY_AFTER, "60" },
	};

	for (unsigned i = 0; i < N_REFUSALS; i++)
		if (page_of(table[i].status, "text/plain; charset=utf-8", (void *)table[i].text,
			    strlen(table[i].text), MHD_RESPMEM_PERSISTENT, &http->refusal[i]) ||
		    !library.MHD_add_response_header(http->refusal[i]->response, table[i].header,
						     table[i].value))
			return -ENOMEM;
	return 0;
}

/* ---- connections ---- */

static void give_s(struct visit *visit, unsigned s)
{
	visit->slot->deadline_ns = clock_now_ns() + s * NS_PER_S;
}

static struct visit *visit_of(struct MHD_Connection *connection)
{
	return library.MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)
		->socket_context;
}

static struct visit *visit_begin(struct http *http, struct MHD_Connection *connection)
{
	int fd = library.MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)
			 ->connect_fd;
	const struct sockaddr *addr =
		library.MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)
			->client_addr;
	struct slot *slot = slots_take(&http->slots, fd, peer_of(addr, fd), clock_now_ns());
	struct visit *visit = slot ? &http->visit[slot - http->slots.slot] : NULL;

	if (!visit)
		return NULL;
	*visit = (struct visit){ .slot = slot, .connection = connection };
	give_s(visit, HTTP_BUSY_S);
	return visit;
}

static void on_connection(void *data, struct MHD_Connection *connection, void **context,
			  enum MHD_ConnectionNotificationCode code)
{
	struct visit *visit = *context;

	if (code == MHD_CONNECTION_NOTIFY_STARTED)
		*context = visit_begin(data, connection);
	else if (visit)
		visit->slot->fd = -1;
}

static void on_completed(void *data, struct MHD_Connection *connection, void **context,
			 enum MHD_RequestTerminationCode code)
{
	struct visit *visit = visit_of(connection);

	(void)data, (void)context, (void)code;
	if (!visit)
		return;
	visit->is_decided = false;
	slots_set_busy(visit->slot, false, clock_now_ns());
	give_s(visit, HTTP_IDLE_S);
}

/* ---- requests ---- */

/* Store a verdict and resume. Also called on the hashing thread. */
static void on_verdict(void *waiter, enum auth_verdict verdict)
{
	struct visit *visit = waiter;

	visit->verdict = verdict;
	visit->is_decided = true;
	library.MHD_resume_connection(visit->connection);
}

/* Suspend the connection until there is a verdict. */
static enum auth_verdict wait_for_verdict(const struct http *http, struct visit *visit,
					  const struct credentials *credentials)
{
	library.MHD_suspend_connection(visit->connection);
	if (auth_ask(http->auth, credentials, visit->slot->peer, visit) == AUTH_BUSY)
		on_verdict(visit, AUTH_BUSY);
	return AUTH_PENDING;
}

static enum auth_verdict ask_auth(const struct http *http, struct visit *visit)
{
	const char *header = library.MHD_lookup_connection_value(visit->connection, MHD_HEADER_KIND,
								 MHD_HTTP_HEADER_AUTHORIZATION);
	struct credentials credentials;
	enum auth_verdict verdict;

	if (visit->is_decided)
		return visit->verdict;
	if (credentials_parse(header, &credentials))
		return AUTH_WRONG;
	verdict = auth_recall(http->auth, &credentials);
	if (verdict == AUTH_PENDING)
		verdict = wait_for_verdict(http, visit, &credentials);
	credentials_fini(&credentials);
	return verdict;
}

static bool is_known_method(const char *method)
{
	return strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
}

/* @return NULL: no verdict yet */
static const struct http_page *choose_page(struct http *http, struct visit *visit, const char *path,
					   const char *method)
{
	const struct admit *admit = http->config.admit;
	bool is_unix = admit->address->addr.ss_family == AF_UNIX;

	if (!is_admitted(admit, visit->slot,
			 library.MHD_lookup_connection_value(visit->connection, MHD_HEADER_KIND,
							     "Host")))
		return http->refusal[is_unix ? OTHER_USER : OTHER_HOST];

	enum auth_verdict verdict = http->auth ? ask_auth(http, visit) : AUTH_OK;
	const struct http_page *page;

	if (verdict == AUTH_PENDING)
		return NULL;
	if (verdict != AUTH_OK)
		return http->refusal[verdict == AUTH_BUSY ? TOO_MANY_GUESSES : WRONG_PASSWORD];
	if (http->auth)
		slots_know(&http->slots, visit->slot);
	if (!is_known_method(method))
		return http->refusal[NOT_ALLOWED];

	const struct http_request request = {
		.path = path,
		.accept = library.MHD_lookup_connection_value(visit->connection, MHD_HEADER_KIND,
							      "Accept"),
	};

	page = http->config.answer(http->config.data, &request);
	return page ? page : http->refusal[OUR_FAULT];
}

/* Called by libmicrohttpd when the headers are complete, with each piece of a body, and at the end; again after a
 * verdict. An answer to the first call closes the connection, so that only methods other than GET and HEAD are answered
 * there. The body of a GET is dropped. */
static enum MHD_Result on_request(void *data, struct MHD_Connection *connection, const char *path,
				  const char *method, const char *version, const char *body,
				  size_t *body_size, void **context)
{
	struct http *http = data;
	struct visit *visit = visit_of(connection);
	const struct http_page *page;
	bool is_first = !*context;

	(void)version, (void)body;
	if (!visit)
		return MHD_NO;
	*context = data;
	if (is_first)
		give_s(visit, HTTP_BUSY_S);
	if (is_known_method(method) && (is_first || *body_size)) {
		*body_size = 0;
		return MHD_YES;
	}
	slots_set_busy(visit->slot, true, clock_now_ns());
	page = choose_page(http, visit, path, method);
	return page ? library.MHD_queue_response(connection, page->status, page->response)
		    : MHD_YES;
}

/* ---- start and end ---- */

__attribute__((format(printf, 2, 0))) static void on_error(void *data, const char *fmt,
							   va_list args)
{
	struct http *http = data;
	size_t n = strlen(http->last_error.text);

	if (!http->has_started) /* later messages are about clients and not needed here */
		vsnprintf(http->last_error.text + n, sizeof(http->last_error.text) - n, fmt, args);
}

static bool has_tls(const struct http_config *config)
{
	return config->web && config->web->cert;
}

static struct MHD_Daemon *http_start(struct http *http)
{
	const struct http_config *config = &http->config;
	struct MHD_OptionItem tls[] = {
		{ MHD_OPTION_HTTPS_MEM_CERT, 0, has_tls(config) ? config->web->cert : NULL },
		{ MHD_OPTION_HTTPS_MEM_KEY, 0, has_tls(config) ? config->web->key : NULL },
		{ MHD_OPTION_HTTPS_PRIORITIES, 0,
		  has_tls(config) ? (void *)config->web->priorities : NULL },
		{ MHD_OPTION_END, 0, NULL },
	};
	unsigned flags = MHD_USE_EPOLL | MHD_USE_ERROR_LOG | MHD_ALLOW_SUSPEND_RESUME |
			 (has_tls(config) ? MHD_USE_TLS : 0);

	return library.MHD_start_daemon(
		flags, 0, NULL, NULL, on_request, http, MHD_OPTION_EXTERNAL_LOGGER, on_error, http,
		MHD_OPTION_LISTEN_SOCKET, config->listen_fd, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned)SLOTS_MAX, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)HTTP_IDLE_S,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HTTP_REQUEST_BYTES,
		MHD_OPTION_NOTIFY_CONNECTION, on_connection, http, MHD_OPTION_NOTIFY_COMPLETED,
		on_completed, http, MHD_OPTION_ARRAY, has_tls(config) ? tls : &tls[3],
		MHD_OPTION_END);
}

static int http_prepare(struct http *http)
{
	const struct web_config *web = http->config.web;

	slots_init(&http->slots);
	if (web && web->n_users && auth_new(web, on_verdict, &http->auth))
		return -ENOMEM;
	return make_refusals(http);
}

static int http_begin(struct http *http, struct err *err)
{
	if (has_tls(&http->config) && library.MHD_is_feature_supported(MHD_FEATURE_TLS) != MHD_YES)
		return err_set(err, ENOTSUP, "this machine's libmicrohttpd was built without TLS");
	http->daemon = http_start(http);
	if (!http->daemon) {
		http->last_error.text[strcspn(http->last_error.text, "\n")] = '\0';
		return err_set(err, EINVAL, "cannot serve: %s",
			       *http->last_error.text ? http->last_error.text : "out of memory");
	}
	http->has_started = true;
	http->fd = library.MHD_get_daemon_info(http->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
	return 0;
}

int http_open(const struct http_config *config, struct http **ret, struct err *err)
{
	struct http *http = calloc(1, sizeof(*http));
	int rc;

	if (!http)
		return err_set(err, ENOMEM, "out of memory");
	http->config = *config;
	rc = http_prepare(http) ? err_set(err, ENOMEM, "out of memory") : http_begin(http, err);
	if (rc) {
		http_close(http);
		return rc;
	}
	*ret = http;
	return 0;
}

void http_close(struct http *http)
{
	if (!http)
		return;
	auth_free(http->auth); /* no connection is suspended from now on */
	if (http->daemon)
		library.MHD_stop_daemon(http->daemon);
	for (unsigned i = 0; i < N_REFUSALS; i++)
		http_page_free(http->refusal[i]);
	free(http);
}

bool http_worker(const struct http *http, pthread_t *ret)
{
	if (http->auth)
		*ret = http->auth->thread;
	return http->auth;
}

int http_fd(const struct http *http)
{
	return http->fd;
}

int http_timeout_ms(const struct http *http)
{
	MHD_UNSIGNED_LONG_LONG ms;

	if (library.MHD_get_timeout(http->daemon, &ms) == MHD_YES && ms < 1000)
		return (int)ms;
	return 1000;
}

void http_run(struct http *http)
{
	slots_end_late(&http->slots, clock_now_ns());
	library.MHD_run(http->daemon);
}
