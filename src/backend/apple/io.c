#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "backend/apple/apple.h"
#include "backend/apple/regs.h"

static int open_device(void)
{
	int fd = open(M1PMU_DEVICE, O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static void close_device(int fd)
{
	close(fd);
}

static int request(int fd, unsigned long number, void *arg)
{
	return ioctl(fd, number, arg) < 0 ? -errno : 0;
}

static const void *map(int fd, size_t size)
{
	void *at = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

	return at == MAP_FAILED ? NULL : at;
}

static void unmap(const void *at, size_t size)
{
	munmap((void *)at, size);
}

const struct apple_io apple_io = {
	.open = open_device,
	.close = close_device,
	.request = request,
	.map = map,
	.unmap = unmap,
	.cpu = sched_getcpu,
	.now_ns = clock_now_ns,
	.el0_begin = apple_el0_begin,
	.el0_end = apple_el0_end,
	.el0_counters = apple_el0_counters,
	.el0_controls = apple_el0_controls,
};
