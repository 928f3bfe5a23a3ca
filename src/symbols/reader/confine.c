/* confine.c: giving up rights for good */
#include "symbols/reader/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/rights.h"
#include "base/sanitized.h"
#include "base/text.h"

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCH AUDIT_ARCH_RISCV64
#endif

/* ---- ids, capabilities, the root folder ---- */

/* Take an id that no program and no user has: of the range that systemd gives to services for their time. */
static void change_ids(void)
{
	uid_t id = 61184 + (uid_t)getpid() % 4336;

	if (setgroups(0, NULL)) /* it may not: then it has no others' rights either */
		return;
	if (setresgid(id, id, id) && setresgid(65534, 65534, 65534))
		return;
	if (setresuid(id, id, id))
		(void)!setresuid(65534, 65534, 65534);
}

/* Let the kernel end this process first when memory is short. */
static void offer_memory(void)
{
	AUTO_FD int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd >= 0)
		(void)!write(fd, "1000", 4);
}

/* ---- limits ---- */

static void set_limit(int what, rlim_t most)
{
	const struct rlimit limit = { most, most };

	(void)setrlimit((__rlimit_resource_t)what, &limit);
}

/* Limit time, files, and the memory beyond what this process has mapped. While /proc is within reach. */
static void set_limits(uint32_t cpu_ms, uint64_t memory)
{
	const struct itimerval end = { .it_value = { cpu_ms / 1000, cpu_ms % 1000 * 1000 } };
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	AUTO_FREE char *pages = NULL; /* all, 4 others, what could be changed */
	uint64_t all = 0, data = 0;
	size_t n;

	if (!file_read("/proc/self/statm", 4096, &pages, &n)) {
		(void)text_word_u64(pages, 0, &all);
		(void)text_word_u64(pages, 5, &data);
	}
	(void)setitimer(ITIMER_PROF, &end, NULL);
	set_limit(RLIMIT_CPU, cpu_ms / 1000 + 1);
	set_limit(RLIMIT_FSIZE, 0);
	set_limit(RLIMIT_NOFILE, 0); /* without a filter: no file either */
	set_limit(RLIMIT_NPROC, 0);
	if (SANITIZED)
		return;
	set_limit(RLIMIT_DATA, data * page + memory);
	set_limit(RLIMIT_AS, all * page + memory);
}

/* ---- system calls ---- */

#ifdef ARCH
#define LOAD(field)  BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define IF(value, n) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (n)) /* else skip n */
#define ALLOW        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define REFUSE       BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
#define KILL         BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
#define CALL(name)   IF(SYS_##name, 1), ALLOW
#define LOW(i)       LOAD(args[i]) /* little endian */

/* Leave what malloc, qsort and the answer need. Others are refused, not killed: libelf and libdw try to open files,
 * and do without. */
static void set_filter(void)
{
	static const struct sock_filter filter[] = {
		LOAD(arch),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0),
		KILL,
		LOAD(nr),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1), /* x32 */
		KILL,
		CALL(brk),
		CALL(munmap),
		CALL(mremap),
		CALL(madvise),
		CALL(sysinfo), /* without it qsort of glibc < 2.37 divides by what it left uninitialized */
		CALL(exit_group),
		IF(SYS_write, 3),
		LOW(0),
		IF(ANSWER_FD, 7),
		ALLOW,
		/* what malloc asks for: no code, no file, nothing that RLIMIT_DATA does not count */
		IF(SYS_mmap, 5),
		LOW(2),
		IF(PROT_READ | PROT_WRITE, 3),
		LOW(3),
		IF(MAP_PRIVATE | MAP_ANONYMOUS, 1),
		ALLOW,
		REFUSE,
	};
	const struct sock_fprog program = { ARRAY_SIZE(filter), (struct sock_filter *)filter };

	if (!SANITIZED)
		(void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}
#endif

bool confine_worker(uint32_t cpu_ms, uint64_t memory)
{
	int rc;

	offer_memory();
	set_limits(cpu_ms, memory);
	/* an empty folder, in which nobody can make a file, and which needs no cleaning up */
	if (!chroot("/proc/self/fdinfo"))
		(void)!chdir("/");
	change_ids();
	rc = rights_drop_all();
	rights_hide_memory();
#ifdef ARCH
	set_filter();
#endif
	return !rc;
}
