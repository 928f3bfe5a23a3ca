#include "symbols/reader/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
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
#include "symbols/reader/wire.h"

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCH AUDIT_ARCH_RISCV64
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
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

static bool drop_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	const struct __user_cap_data_struct none[2] = { { 0 } };

	for (unsigned long cap = 0; prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0; cap++)
		(void)prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
	(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return !syscall(SYS_capset, &header, none) || errno == ENOSYS;
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

/* Get the memory that this process has mapped, with files, and that it could change. */
static void mapped_now(uint64_t *ret_all, uint64_t *ret_data)
{
	AUTO_FREE char *text = NULL;
	uint64_t pages[6] = { 0 };
	size_t n;
	char *at = file_read("/proc/self/statm", 4096, &text, &n) ? NULL : text;

	for (unsigned i = 0; at && i < ARRAY_SIZE(pages); i++)
		pages[i] = strtoull(at, &at, 10);
	*ret_all = pages[0] * (uint64_t)sysconf(_SC_PAGESIZE);
	*ret_data = pages[5] * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void set_limits(uint32_t cpu_ms, uint64_t memory, uint64_t all, uint64_t data)
{
	const struct itimerval end = { .it_value = { cpu_ms / 1000, cpu_ms % 1000 * 1000 } };

	(void)setitimer(ITIMER_PROF, &end, NULL);
	set_limit(RLIMIT_CPU, cpu_ms / 1000 + 1);
	set_limit(RLIMIT_CORE, 0);
	set_limit(RLIMIT_FSIZE, 0);
	set_limit(RLIMIT_NOFILE, 0); /* without a filter: no file either */
	set_limit(RLIMIT_NPROC, 0);
	if (SANITIZED)
		return;
	set_limit(RLIMIT_DATA, data + memory);
	set_limit(RLIMIT_AS, all + memory);
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
		IF(SYS_write, 4),
		LOW(0),
		IF(ANSWER_FD, 1),
		ALLOW,
		REFUSE,
		IF(SYS_mmap, 6),
		/* what malloc asks for: no code, no file, nothing that RLIMIT_DATA does not count */
		LOW(2),
		IF(PROT_READ | PROT_WRITE, 3),
		LOW(3),
		IF(MAP_PRIVATE | MAP_ANONYMOUS, 1),
		ALLOW,
		REFUSE,
		REFUSE,
	};
	const struct sock_fprog program = { ARRAY_SIZE(filter), (struct sock_filter *)filter };

	if (!SANITIZED)
		(void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}
#else
static void set_filter(void)
{
}
#endif

bool confine_worker(uint32_t cpu_ms, uint64_t memory)
{
	bool is_without_rights;
	uint64_t all, data;

	mapped_now(&all, &data); /* /proc is out of reach later */
	offer_memory();
	/* an empty folder, in which nobody can make a file, and which needs no cleaning up */
	if (!chroot("/proc/self/fdinfo"))
		(void)!chdir("/");
	change_ids();
	is_without_rights = drop_capabilities();
	(void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	set_limits(cpu_ms, memory, all, data);
	set_filter();
	return is_without_rights;
}
