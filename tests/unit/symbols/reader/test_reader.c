/* test_reader.c: what a worker may still do: nothing; and answers that no honest worker gives */
#include "rig/harness.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sanitized.h"
#include "symbols/reader/worker.h"
#include "symbols/reader/reader.h"

/* The error of a call; 0: none. */
#define TRY(call) ((errno = 0), (call) == -1 ? errno : 0)

/* Try what an attacker would, one line for each that is allowed. */
static void probe(void)
{
	struct stat file;
	struct sockaddr_in address = { .sin_family = AF_INET };
	pid_t server = getppid();
	char *args[] = { NULL };
	const struct {
		const char *name;
		int error; /* 0: allowed */
	} attempt[] = {
		{ "open /etc/passwd", TRY(open("/etc/passwd", O_RDONLY)) },
		{ "open .", TRY(open(".", O_RDONLY)) },
		{ "stat /", TRY(syscall(SYS_newfstatat, AT_FDCWD, "/", &file, 0)) },
		{ "fstat of the answer", TRY(fstat(ANSWER_FD, &file)) },
		{ "readlink", TRY(readlink("/proc/self/exe", (char[8]){ 0 }, 8)) },
		{ "socket", TRY(socket(AF_INET, SOCK_STREAM, 0)) },
		{ "connect of the answer",
		  TRY(connect(ANSWER_FD, (void *)&address, sizeof(address))) },
		{ "socketpair", TRY(socketpair(AF_UNIX, SOCK_STREAM, 0, (int[2]){ 0 })) },
		{ "kill server", TRY(kill(server, 0)) },
		{ "kill all", TRY(kill(-1, 0)) },
		{ "ptrace", TRY(ptrace(PTRACE_ATTACH, server, NULL, NULL)) },
		{ "process_vm_readv",
		  TRY(syscall(SYS_process_vm_readv, server, NULL, 0, NULL, 0, 0)) },
		{ "pidfd_open", TRY(syscall(SYS_pidfd_open, server, 0)) },
		{ "execve", TRY(execve("/bin/true", args, args)) },
		{ "execveat",
		  TRY(syscall(SYS_execveat, ANSWER_FD, "", args, args, AT_EMPTY_PATH)) },
		{ "fork", TRY(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)) },
		{ "clone3", TRY(syscall(SYS_clone3, NULL, 0)) },
		{ "mmap exec", TRY((intptr_t)mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
						  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) },
		{ "mmap shared", TRY((intptr_t)mmap(NULL, 4096, PROT_READ | PROT_WRITE,
						    MAP_SHARED | MAP_ANONYMOUS, -1, 0)) },
		{ "mmap fixed",
		  TRY((intptr_t)mmap((void *)0x10000, 4096, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)) },
		{ "mmap 1 GB", TRY((intptr_t)mmap(NULL, 1UL << 30, PROT_READ | PROT_WRITE,
						  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) },
		{ "mprotect exec", TRY(mprotect((void *)((uintptr_t)probe & ~4095UL), 4096,
						PROT_READ | PROT_WRITE | PROT_EXEC)) },
		{ "write elsewhere", TRY(write(2, "x", 1)) },
		{ "read", TRY(read(0, (char[8]){ 0 }, 8)) },
		{ "dup", TRY(dup(ANSWER_FD)) },
		{ "ioctl", TRY(syscall(SYS_ioctl, ANSWER_FD, 0x541b, &file)) },
		{ "sigaction", TRY(syscall(SYS_rt_sigaction, SIGXCPU, NULL, NULL, 8)) },
		{ "setrlimit", TRY(syscall(SYS_prlimit64, 0, 2 /* RLIMIT_DATA */, NULL, NULL)) },
		{ "prctl", TRY(syscall(SYS_prctl, 3, 0, 0, 0, 0)) },
		{ "io_uring", TRY(syscall(SYS_io_uring_setup, 1, NULL)) },
		{ "bpf", TRY(syscall(SYS_bpf, 0, NULL, 0)) },
		{ "perf_event_open", TRY(syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0)) },
		{ "keyctl", TRY(syscall(SYS_keyctl, 0, 0, 0, 0, 0)) },
		{ "unshare", TRY(syscall(SYS_unshare, 0x10000000)) },
		{ "memfd_create", TRY(syscall(SYS_memfd_create, "x", 0)) },
		{ "nanosleep", TRY(syscall(SYS_clock_nanosleep, 1, 0, NULL, NULL)) },
	};
	for (size_t i = 0; i < ARRAY_SIZE(attempt); i++)
		if (!attempt[i].error &&
		    write(ANSWER_FD, attempt[i].name, strlen(attempt[i].name)) < 0)
			_exit(2);
	if (write(ANSWER_FD, ".", 1) != 1)
		_exit(2);
	_exit(0);
}

static void a_fault_in_a_worker_reaches_nothing(void **state)
{
	char said[4096] = "";
	size_t n = 0;
	ssize_t got;
	int answer[2], status;
	pid_t pid;

	(void)state;
	if (SANITIZED) /* sanitizers need more */
		skip();
	assert_int_equal(pipe(answer), 0);
	pid = fork();
	if (!pid) {
		dup2(answer[1], ANSWER_FD);
		close_range(STDERR_FILENO, ~0U, 0);
		if (confine_worker(2000, 64 << 20))
			probe();
		_exit(3);
	}
	close(answer[1]);
	while (n < sizeof(said) - 1 && (got = read(answer[0], said + n, sizeof(said) - 1 - n)) > 0)
		n += (size_t)got;
	close(answer[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_string_equal(said, "."); /* else what is allowed */
	assert_int_equal(status, 0);
}

/* ---- answers ---- */

/* An honest answer, and what is wrong with it. */
struct answer {
	struct wire_answer head;
	struct payload {
		struct symbol symbol[2];
		struct segment segment;
		char names[8];
	} payload;
	size_t n;
};

static void too_many(struct answer *answer)
{
	answer->head.n_symbols = UINT32_MAX;
}

static void too_short(struct answer *answer)
{
	answer->n--;
}

static void long_id(struct answer *answer)
{
	answer->head.about.build_id.n = BUILD_ID_MAX + 1;
}

static void long_link(struct answer *answer)
{
	memset(answer->head.about.debug_link, 'x', sizeof(answer->head.about.debug_link));
}

static void link_elsewhere(struct answer *answer)
{
	memcpy(answer->head.about.debug_link, "../x", 5);
}

static void name_outside(struct answer *answer)
{
	answer->payload.symbol[1].name = 8;
}

static void name_without_end(struct answer *answer)
{
	answer->payload.names[7] = 'x';
}

static void no_order(struct answer *answer)
{
	answer->payload.symbol[1].start = 0x1008;
}

static void beyond_all_addresses(struct answer *answer)
{
	answer->payload.symbol[1].start = UINT64_MAX - 4;
}

static void without_size(struct answer *answer)
{
	answer->payload.symbol[0].size = 0;
}

static void open_size(struct answer *answer)
{
	answer->payload.symbol[0].size |= SYMBOL_OPEN;
}

static void forged_answers_are_refused(void **state)
{
	static void (*const forge[])(struct answer *) = {
		NULL,           too_many,     too_short,        long_id,  long_link,
		link_elsewhere, name_outside, name_without_end, no_order, beyond_all_addresses,
		without_size,   open_size,
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(forge); i++) {
		struct answer answer = {
			.head = { .n_symbols = 2, .n_segments = 1, .n_text = 8 },
			.payload = { { { 0x1000, 16, 1 }, { 0x1010, 16, 4 } },
				     { 0, 4096, 0x1000 },
				     "\0ab\0cde" },
			.n = sizeof(struct payload),
		};
		const size_t n = sizeof(struct payload);
		char *payload = malloc(n);
		struct code_table *table;

		assert_non_null(payload);
		if (forge[i])
			forge[i](&answer);
		memcpy(payload, &answer.payload, sizeof(answer.payload));
		assert_int_equal(answer_table(&answer.head, payload, answer.n, &table),
				 i ? -EBADMSG : 0);
		if (i)
			free(payload);
		else
			table_free(table);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_fault_in_a_worker_reaches_nothing),
		cmocka_unit_test(forged_answers_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
