#include "symbols/reader/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/rights.h"
#include "symbols/reader/worker.h"
#include "symbols/symbols.h"

enum {
	SHORT_AT_ONCE = 3, /* for one user but root: 2 */
	PIPE_BYTES = 1 << 20,
	ANSWER_MAX = 48 << 20,
	OWNERS = 4096,  /* by the rest of their ids */
	DEATHS_MAX = 4, /* of fork servers */
};

/* Bounds of a request: the first try, and the second one, which runs alone. The largest library of a Debian takes
 * 9 MB and 72 ms, the largest with Rust's names 37 MB and 125 ms. */
static const struct wire_limits limits[2] = { { 300, 2500, UINT64_C(24) << 20 },
					      { 2000, 10000, UINT64_C(112) << 20 } };

/* Time that files of one owner may lose: beyond the first they are not tried for long, beyond the second not read. */
#define OWNER_LONG_NS (10 * NS_PER_S)
#define OWNER_MAX_NS  (20 * NS_PER_S)

enum query_phase { QUEUED, RUNNING, DONE };

struct query {
	struct query *next;
	enum query_phase phase;
	bool is_long;
	int rc;          /* DONE */
	int pipe;        /* RUNNING */
	unsigned deaths; /* of fork servers, before it ran */
	uint32_t uid;
	uint64_t began_ns;
	struct {
		struct wire_opened opened;
		struct wire_answer answer;
	} head; /* as it comes */
	char *payload;
	size_t n, n_payload; /* bytes that came of all; of the payload in whole */
	struct wire_request request;
};

static struct reader {
	int socket;      /* -1: there is no fork server */
	pid_t of, pid;   /* process that started it; the fork server */
	unsigned deaths; /* of fork servers */
	int wake;
	struct query *queries;    /* in order of their beginning */
	unsigned n_done;          /* queries that ended */
	uint64_t lost_ns[OWNERS]; /* time that files of an owner took in vain */
} reader = { .socket = -1, .wake = -1 };

static atomic_bool is_cancelled;

/* ---- life cycle of the fork server ---- */

/* Become the fork server: no terminal, no files but the socket, no rights but those to open, and to confine. */
static _Noreturn void become_fork_server(int socket, pid_t parent)
{
	const struct sigaction usual = { .sa_handler = SIG_DFL };
	struct err err;
	int null = open("/dev/null", O_RDWR);

	prctl(PR_SET_NAME, "m1top/reader");
	setsid();                      /* Ctrl-C is for the program; the socket ends with it */
	for (int i = 1; i < NSIG; i++) /* what is ignored stays so in children: SIGXCPU, SIGPIPE */
		sigaction(i, &usual, NULL);
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	if (dup2(socket, STDERR_FILENO + 1) < 0)
		_exit(1);
	close_range(STDERR_FILENO + 2, ~0U, 0);
	if (rights_keep(RIGHT_OPEN | RIGHT_CONFINE, &err))
		_exit(1);
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* after ids have changed: that clears it */
	if (getppid() != parent)
		_exit(1);
	fork_server_main(STDERR_FILENO + 1);
}

static int start_fork_server(void)
{
	pid_t parent = getpid(), pid;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	pid = fork();
	if (pid == 0)
		become_fork_server(pair[1], parent);
	close(pair[1]);
	if (pid < 0) {
		close(pair[0]);
		return -EAGAIN;
	}
	reader.socket = pair[0];
	reader.pid = pid;
	return 0;
}

int symbols_start_reader(struct err *err)
{
	int rc;

	if (reader.of == getpid() && reader.socket >= 0)
		return 0;
	reader = (struct reader){ .of = getpid(),
				  .socket = -1,
				  .wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) };
	atomic_store(&is_cancelled, false);
	rc = reader.wake < 0 ? -errno : start_fork_server();
	return rc ? err_set(err, -rc, "reader of symbols: %s", strerror(-rc)) : 0;
}

static void end_fork_server(void)
{
	if (reader.socket < 0)
		return;
	close(reader.socket);
	reader.socket = -1;
	kill(reader.pid, SIGKILL); /* ends its workers, too */
	waitpid(reader.pid, NULL, WNOHANG);
}

void reader_stop(void)
{
	if (reader.of != getpid())
		return;
	while (reader.queries)
		query_free(reader.queries);
	end_fork_server();
	if (reader.wake >= 0)
		close(reader.wake);
	reader.wake = -1;
}

/* Start the fork server again if it has ended, with the rights that are left. */
static void restart_fork_server(void)
{
	struct pollfd at = { .fd = reader.socket, .events = POLLIN };

	if (reader.socket < 0 || poll(&at, 1, 0) <= 0 || !(at.revents & (POLLHUP | POLLERR)))
		return;
	end_fork_server();
	if (++reader.deaths < DEATHS_MAX)
		(void)start_fork_server();
}

bool reader_has_lost_rights(void)
{
	return reader.deaths > 0;
}

/* ---- owners of files ---- */

/* Whether files of a user took more time in vain than they may. Root's may: others do not write them. */
static bool has_lost(uint32_t uid, uint64_t most_ns)
{
	return uid && reader.lost_ns[uid % OWNERS] >= most_ns;
}

/* ---- a request ---- */

static int send_request(const struct wire_request *request, int answer)
{
	union wire_control control = { .header = { .cmsg_level = SOL_SOCKET,
						   .cmsg_type = SCM_RIGHTS,
						   .cmsg_len = CMSG_LEN(sizeof(int)) } };
	struct iovec part = { (void *)request, sizeof(*request) };
	struct msghdr message = wire_message(&part, &control);

	memcpy(CMSG_DATA(&control.header), &answer, sizeof(answer));
	return sendmsg(reader.socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) ==
			       (ssize_t)sizeof(*request)
		       ? 0
		       : -EPIPE;
}

/* Leave the worker of a request: it ends when it writes, or when its time is over. */
static void detach(struct query *query)
{
	if (query->phase == RUNNING)
		close(query->pipe);
	free(query->payload);
	query->payload = NULL;
	query->n = query->n_payload = 0;
	query->phase = QUEUED;
}

static void end_query(struct query *query, int rc)
{
	if (rc)
		detach(query);
	else
		close(query->pipe);
	query->phase = DONE;
	query->rc = rc;
	reader.n_done++;
}

/* Hand a request to a worker. */
static void run(struct query *query)
{
	int pair[2], rc;

	query->request.limits = limits[query->is_long];
	query->began_ns = clock_now_ns();
	query->deaths = reader.deaths;
	if (pipe2(pair, O_CLOEXEC)) {
		end_query(query, -errno);
		return;
	}
	(void)fcntl(pair[0], F_SETFL, O_NONBLOCK); /* of this end alone */
	(void)fcntl(pair[0], F_SETPIPE_SZ, PIPE_BYTES);
	query->pipe = pair[0];
	query->phase = RUNNING;
	rc = send_request(&query->request, pair[1]);
	close(pair[1]);
	if (rc && reader.socket < 0)
		end_query(query, rc);
}

/* Whether a request may run beside those that do. */
static bool has_room(const struct query *query)
{
	unsigned n = 0, n_of_user = 0;

	for (const struct query *at = reader.queries; at; at = at->next)
		if (at->phase == RUNNING && at->is_long == query->is_long) {
			n++;
			n_of_user += query->uid && at->uid == query->uid;
		}
	return n < (query->is_long ? 1 : SHORT_AT_ONCE - (n_of_user > 1));
}

/* Start requests as long as there is room. */
static void run_due(void)
{
	for (struct query *at = reader.queries; at; at = at->next)
		if (at->phase == QUEUED && has_room(at))
			run(at);
}

/* Take the end of a try that needs more than its limits. */
static void take_excess(struct query *query)
{
	reader.lost_ns[query->uid % OWNERS] += clock_now_ns() - query->began_ns;
	if (query->is_long || query->request.what == READ_MAPS ||
	    has_lost(query->uid, OWNER_LONG_NS)) {
		end_query(query, query->request.what == READ_MAPS ? -ETIMEDOUT : -EFBIG);
		return;
	}
	detach(query);
	query->is_long = true;
}

struct query *query_begin(const struct wire_request *request)
{
	struct query *query = calloc(1, sizeof(*query)), **last = &reader.queries;
	struct stat process;
	char path[32];

	if (!query)
		return NULL;
	query->request = *request;
	snprintf(path, sizeof(path), "/proc/%u", request->pid);
	if (request->pid && !stat(path, &process))
		query->uid = process.st_uid;
	while (*last)
		last = &(*last)->next;
	*last = query;
	if (atomic_load(&is_cancelled))
		end_query(query, -ECANCELED);
	else if (has_lost(query->uid, OWNER_MAX_NS))
		end_query(query, -EDQUOT);
	run_due();
	return query;
}

void query_free(struct query *query)
{
	struct query **at = &reader.queries;

	if (!query)
		return;
	while (*at != query)
		at = &(*at)->next;
	*at = query->next;
	detach(query);
	free(query);
}

int query_state(const struct query *query)
{
	return query->phase == DONE ? query->rc : -EINPROGRESS;
}

/* ---- answers ---- */

/* Return the error that a worker sends, unless it means something else here. */
static int error_of(int32_t rc)
{
	return rc > 0 || rc == -EAGAIN || rc == -EPIPE || rc == -EINPROGRESS ? -EBADMSG : rc;
}

/* Take what has come of the two heads: see how much follows. */
static int take_head(struct query *query)
{
	const struct wire_opened *opened = &query->head.opened;
	const struct wire_answer *answer = &query->head.answer;

	if (query->n == sizeof(*opened)) {
		if (!opened->rc && opened->uid != UID_UNKNOWN)
			query->uid = opened->uid;
		return opened->rc                           ? error_of(opened->rc)
		       : has_lost(query->uid, OWNER_MAX_NS) ? -EDQUOT
							    : 0;
	}
	if (answer->rc)
		return error_of(answer->rc);
	query->n_payload = answer->n_symbols * sizeof(struct symbol) +
			   answer->n_segments * sizeof(struct segment) + answer->n_text;
	if (query->n_payload > ANSWER_MAX)
		return -EFBIG;
	query->payload = malloc(query->n_payload + 1);
	if (!query->payload)
		return -ENOMEM;
	query->payload[query->n_payload] = '\0';
	return 0;
}

/* Read what has come. @return 0; 1: the answer is whole; -EAGAIN: nothing; -EPIPE: it ends before; as take_head */
static int take_bytes(struct query *query)
{
	const size_t first = sizeof(query->head.opened), head = sizeof(query->head);
	size_t end = query->n < first ? first : query->n < head ? head : head + query->n_payload;
	char *to = query->n < head ? (char *)&query->head + query->n
				   : query->payload + (query->n - head);
	ssize_t n = read(query->pipe, to, end - query->n);
	int rc;

	if (n <= 0)
		return n < 0 && (errno == EAGAIN || errno == EINTR) ? -EAGAIN : -EPIPE;
	query->n += (size_t)n;
	rc = end <= head && query->n == end ? take_head(query) : 0;
	return rc ? rc : query->n == head + query->n_payload;
}

/* Take an answer as far as it has come. */
static void take_answer(struct query *query)
{
	int rc = 0;

	while (!rc)
		rc = take_bytes(query);
	if (rc == -EAGAIN)
		return;
	if (rc == -EPIPE)
		restart_fork_server();
	if (rc == 1)
		end_query(query, 0);
	else if (rc == -EPIPE && query->deaths != reader.deaths)
		detach(query); /* it runs again */
	else if (rc == -EPIPE || rc == -ENOMEM ||
		 (rc == -EFBIG && query->request.what != READ_MAPS))
		take_excess(query);
	else
		end_query(query, rc);
}

/* End requests whose time is over, or all. @return ms until the next one's end; -1 */
static int end_late(void)
{
	uint64_t now_ns = clock_now_ns(), next_ns = UINT64_MAX;

	for (struct query *at = reader.queries; at; at = at->next) {
		/* the fork server ends the worker before; this is for a worker that a file system holds */
		uint64_t end_ns = at->began_ns + (limits[at->is_long].wall_ms + 100) * NS_PER_MS;

		if (at->phase != DONE && atomic_load(&is_cancelled))
			end_query(at, -ECANCELED);
		else if (at->phase == RUNNING && now_ns >= end_ns)
			take_excess(at);
		else if (at->phase == RUNNING && end_ns < next_ns)
			next_ns = end_ns;
	}
	return next_ns == UINT64_MAX ? -1 : (int)((next_ns - now_ns) / NS_PER_MS + 1);
}

enum { QUERIES_MAX = SHORT_AT_ONCE + 1 };

bool reader_poll(int ms)
{
	struct pollfd at[1 + QUERIES_MAX] = { { .fd = reader.wake, .events = POLLIN } };
	struct query *of[1 + QUERIES_MAX];
	size_t n = 1;
	unsigned n_done = reader.n_done;
	int late_ms = end_late();

	run_due();
	for (struct query *query = reader.queries; query && n < ARRAY_SIZE(at); query = query->next)
		if (query->phase == RUNNING) {
			at[n] = (struct pollfd){ .fd = query->pipe, .events = POLLIN };
			of[n++] = query;
		}
	if (reader.n_done != n_done)
		return true;
	if (late_ms < 0 && n > 1)
		late_ms = 100; /* of requests that were started here */
	if (poll(at, n, ms < 0 || (late_ms >= 0 && late_ms < ms) ? late_ms : ms) <= 0)
		return false;
	if (at[0].revents)
		(void)!read(reader.wake, &(uint64_t){ 0 }, sizeof(uint64_t));
	for (size_t i = 1; i < n; i++)
		if (at[i].revents)
			take_answer(of[i]);
	run_due();
	return reader.n_done != n_done;
}

bool reader_is_busy(void)
{
	for (const struct query *at = reader.queries; at; at = at->next)
		if (at->phase != DONE)
			return true;
	return false;
}

void reader_wake(void)
{
	(void)!write(reader.wake, &(uint64_t){ 1 }, sizeof(uint64_t));
}

void reader_cancel(void)
{
	atomic_store(&is_cancelled, true);
	reader_wake();
}

/* ---- what answers hold ---- */

/* Whether the table is what an honest worker sends: sorted, and names within. */
static bool is_sound(const struct code_table *table)
{
	if (table->n_names && (table->names[0] || table->names[table->n_names - 1]))
		return false;
	for (size_t i = 0; i < table->n; i++) {
		const struct symbol *symbol = &table->symbol[i];

		if (!symbol->size || symbol->size & SYMBOL_OPEN ||
		    symbol->start > UINT64_MAX - symbol->size ||
		    (symbol->name && symbol->name >= table->n_names) ||
		    (i && symbol->start < symbol[-1].start + symbol[-1].size))
			return false;
	}
	return true;
}

int answer_table(const struct wire_answer *answer, char *payload, size_t n, struct code_table **ret)
{
	size_t symbols = answer->n_symbols * sizeof(struct symbol),
	       segments = answer->n_segments * sizeof(struct segment);
	const struct elf_about *about = &answer->about;
	struct code_table *table;

	if (symbols + segments + answer->n_text != n || about->build_id.n > BUILD_ID_MAX ||
	    about->debug_link[sizeof(about->debug_link) - 1] || strchr(about->debug_link, '/'))
		return -EBADMSG;
	table = calloc(1, sizeof(*table));
	if (!table)
		return -ENOMEM;
	table->block = payload;
	table->symbol = (struct symbol *)payload;
	table->segment = (struct segment *)(payload + symbols);
	table->names = payload + symbols + segments;
	table->n = table->cap = answer->n_symbols;
	table->n_segments = table->cap_segments = answer->n_segments;
	table->n_names = table->cap_names = answer->n_text;
	table->about = *about;
	table->refs = 1;
	if (!is_sound(table)) {
		free(table);
		return -EBADMSG;
	}
	*ret = table;
	return 0;
}

int query_table(struct query *query, struct code_table **ret)
{
	int rc = query->rc
			 ? query->rc
			 : answer_table(&query->head.answer, query->payload, query->n_payload, ret);

	if (!rc)
		query->payload = NULL; /* the table's */
	return rc;
}

int query_text(struct query *query, char **ret, size_t *ret_n)
{
	if (query->rc)
		return query->rc;
	if (query->head.answer.n_text != query->n_payload)
		return -EBADMSG;
	*ret = query->payload;
	*ret_n = query->n_payload;
	query->payload = NULL;
	return 0;
}
