/* worker.h: a process for one request, and the fork server that starts them */
#ifndef SYMBOLS_READER_WORKER_H
#define SYMBOLS_READER_WORKER_H

#include "symbols/reader/wire.h"

/** Serve requests until the socket is closed. Never returns. */
_Noreturn void fork_server_main(int socket);

/** Open, give up all rights, read, answer to ANSWER_FD. */
void worker_main(const struct wire_request *request);

#endif
