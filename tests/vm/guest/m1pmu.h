/* m1pmu.h: /dev/m1pmu and the emulation's registers and log, as C tests use them */
#ifndef GUEST_M1PMU_H
#define GUEST_M1PMU_H

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "perf.h"
#include "kmod/m1pmu_abi.h"

#define EMU "/sys/kernel/debug/apple_pmu_emu/"

enum { N_CPUS = 8 };

/** Write a whole small file; false if it was refused. */
static inline bool write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	bool good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	close(fd);
	return good;
}

/** A command for the emulation (tests/vm/emu/control.c). */
__attribute__((format(printf, 1, 2))) static inline void emulate(const char *format, ...)
{
	char text[128];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (!write_file(EMU "ctl", text))
		printf("# emulate %s: %s\n", text, strerror(errno));
}

static inline void set_online(int cpu, bool is_online)
{
	char path[64];

	snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/online", cpu);
	if (!write_file(path, is_online ? "1" : "0"))
		printf("# %s: %s\n", path, strerror(errno));
}

/** Every register of every core that is online, one line a core. */
static inline const char *registers(char *buf, size_t size)
{
	FILE *file = fopen(EMU "regs", "r");
	char line[1024];
	size_t n = 0;

	*buf = '\0';
	while (file && fgets(line, sizeof line, file)) {
		char *regs = strstr(line, " PMCR0="), *end = strstr(line, " AMU0=");

		if (regs && end)
			n += (size_t)snprintf(buf + n, size - n, "%.4s%.*s\n", line,
					      (int)(end - regs), regs);
	}
	if (file)
		fclose(file);
	return buf;
}

/** "PMCR0", "PMC8" … of "S3_1_C15_C0_0" */
static inline void name_register(const char *encoding, char *name, size_t size)
{
	static const char *const control[] = { "PMCR0", "PMCR1",  "PMCR2", "PMCR3",
					       "PMCR4", "PMESR0", "PMESR1" };
	int op1, crn, crm, op2;

	snprintf(name, size, "%s", encoding);
	if (sscanf(encoding, "S3_%d_C%d_C%d_%d", &op1, &crn, &crm, &op2) != 4)
		return;
	if (op1 == 1 && crm < 7)
		snprintf(name, size, "%s", control[crm]);
	else if (op1 == 2)
		snprintf(name, size, "PMC%d", crm > 8 ? crm - 1 : crm);
}

/** What was written on a CPU since `clearlog`: "PMCR0=0x0 PMESR0=0x8d …". */
static inline const char *writes(int cpu, char *buf, size_t size)
{
	FILE *file = fopen(EMU "log", "r");
	char line[256], kind[16], encoding[32], value[32], name[32];
	size_t n = 0;
	int at;

	*buf = '\0';
	while (file && fgets(line, sizeof line, file)) {
		if (sscanf(line, "%*u cpu%d EL1 %15s %31s %31s", &at, kind, encoding, value) != 4 ||
		    at != cpu)
			continue;
		name_register(encoding, name, sizeof name);
		n += (size_t)snprintf(buf + n, size - n, "%s%s%s=%s", n ? " " : "",
				      strcmp(kind, "MSR") ? kind : "", name, value);
	}
	if (file)
		fclose(file);
	return buf;
}

/** Lines of the kernel log that hold this. */
static inline int kernel_lines(const char *text)
{
	static char line[1 << 14]; /* a read gives one */
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK), found = 0;
	ssize_t n;

	while ((n = read(fd, line, sizeof line - 1)) > 0 || errno == EPIPE) {
		line[n > 0 ? n : 0] = '\0';
		found += strstr(line, text) != NULL;
	}
	close(fd);
	return found;
}

/** The kernel log has a line that holds this. */
static inline bool kernel_said(const char *text)
{
	return kernel_lines(text) > 0;
}

static inline int device_open(void)
{
	return open(M1PMU_DEVICE, O_RDWR | O_CLOEXEC);
}

/** 0, or the errno of a request. */
static inline int request(int fd, unsigned long what, void *arg)
{
	return ioctl(fd, what, arg) ? errno : 0;
}

/** Legal on an M1; PMC9 counts user space only. */
static inline struct m1pmu_program legal_program(void)
{
	struct m1pmu_program program = {
		.cpu = M1PMU_ALL_CPUS,
		.enable = 0x3ff,
		.event = { 0, 0, 0xa0, 0xa1, 0x52, 0x8d, 0x8e, 0x97, 0x53, 0x54 },
	};

	memset(program.filter, M1PMU_USER | M1PMU_KERNEL, sizeof program.filter);
	program.filter[9] = M1PMU_USER;
	return program;
}

#endif
