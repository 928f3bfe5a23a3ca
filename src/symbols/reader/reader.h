/* reader.h: what strangers wrote, read by processes that can do nothing else
 *
 * 1. The fork server is started once, before the first thread and before rights are dropped. It keeps the rights to open
 *    files, and sees none of them.
 * 2. Each request gets a worker of its own: a fork of that server, which opens and maps the file, gives up all rights,
 *    and has nothing then but the pipe for its answer, and bounded time and memory. A file that takes its worker over
 *    can lie about its own names, and about nothing else.
 * 3. An answer is bounded and checked: a table's names end, its symbols are in order.
 * 4. Requests are answered side by side. Each is tried for a short time first; what takes longer is tried again when
 *    nothing of its kind runs, for one owner of files at most for some seconds in all.
 * 5. No call waits for a process to end, nor longer than its time; reader_wake ends reader_poll at once.
 *
 * One per program. All calls but reader_wake: one thread at a time.
 */
#ifndef SYMBOLS_READER_READER_H
#define SYMBOLS_READER_READER_H

#include "symbols/reader/wire.h"

/** A request under way. */
struct query;

/** End the fork server, which symbols_start_reader has started, and its workers, without waiting for them. */
void reader_stop(void);

/** Whether the fork server had to be started again, without the rights that m1top has given up. */
bool reader_has_lost_rights(void);

/** Begin a request; id, memory and times are filled in. @return NULL without memory */
struct query *query_begin(const struct wire_request *request);

/** Return the state. @return -EINPROGRESS; as reading_result */
int query_state(const struct query *query);

/** Release; a request under way is cancelled. @query  NULL accepted */
void query_free(struct query *query);

/**
 * Take the table of an answer.
 *
 * @return 0; -EFBIG: it takes more than the limits; -EDQUOT: earlier files of its owner did; -EBADMSG: an answer that
 *         no honest worker gives; -ENOEXEC: no ELF file; -ENOENT; -EPERM; -errno
 */
int query_table(struct query *query, struct code_table **ret);

/** Take the text of an answer. @ret  ends with a NUL; to be freed  @return as query_table */
int query_text(struct query *query, char **ret, size_t *ret_n);

/** Move answers on until a request ends. @ms  -1: without end  @return whether one has ended */
bool reader_poll(int ms);

/** Whether a request is under way. */
bool reader_is_busy(void);

/** Let reader_poll return. Any thread. */
void reader_wake(void);

/** End all requests under way, and those that begin. Any thread. */
void reader_cancel(void);

/** Check the bytes of an answer with a table. @payload  taken over unless it fails  @return 0; -EBADMSG; -ENOMEM */
int answer_table(const struct wire_answer *answer, char *payload, size_t n,
		 struct code_table **ret);

#endif
