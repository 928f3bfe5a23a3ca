#include "backend/apple/apple.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "machine/sysfs.h"

/* ---- why it cannot be used ---- */

static int no_device(const struct backend_config *config, struct err *err)
{
	if (!apple_is_here(config))
		return err_set(err, ENODEV, "only for Apple silicon, which this machine is not");
	return err_set(err, ENODEV,
		       "no " M1PMU_DEVICE ": the kernel module m1pmu is not "
		       "loaded (sudo modprobe m1pmu)");
}

static int cannot_open(int code, const struct backend_config *config, struct err *err)
{
	char self[512];

	file_self(self, sizeof(self));
	switch (code) {
	case ENOENT:
	case ENXIO:
	case ENODEV: return no_device(config, err);
	case EACCES:
		return err_set(err, code,
			       M1PMU_DEVICE ": %s: sudo %s, or a udev rule that opens it to "
					    "you, and cap_perfmon (docs/apple.md)",
			       strerror(code), self);
	case EPERM:
		return err_set(err, code,
			       M1PMU_DEVICE ": %s. One of these fixes it:\n"
					    "  sudo %s\n"
					    "  sudo setcap cap_perfmon+ep %s",
			       strerror(code), self, self);
	default: return err_set(err, ENODEV, M1PMU_DEVICE ": %s", strerror(code));
	}
}

static const char *owner_text(int pid, char *buf, size_t size)
{
	char digits[16], name[32];

	snprintf(digits, sizeof(digits), "%d", pid);
	if (pid <= 0)
		snprintf(buf, size, "a process that is not visible from here");
	else if (sysfs_process_name(digits, name, sizeof(name)) < 0)
		snprintf(buf, size, "process %d", pid);
	else
		snprintf(buf, size, "%s (%d)", name, pid);
	return buf;
}

static int is_owned(const struct m1pmu_info *info, struct err *err)
{
	char owner[64];

	return err_set(
		err, EBUSY,
		"the PMU is in use by %s: m1pmu serves one process at a time; end that one first",
		owner_text(info->owner_pid, owner, sizeof(owner)));
}

static int has_driver(int code, struct err *err)
{
	return err_set(err, code,
		       "the kernel's own Apple driver owns the PMU and cannot be unbound: use "
		       "--backend perf, or boot with initcall_blacklist=m1_pmu_driver_init");
}

static int get_info(const struct apple_io *io, int fd, struct m1pmu_info *ret, struct err *err)
{
	int rc = io->request(fd, M1PMU_INFO, ret);

	if (rc == -ENOTTY || (!rc && ret->abi != M1PMU_ABI))
		return err_set(err, ENODEV,
			       "the module m1pmu has another version than this m1top: build and "
			       "load the one that came with it");
	if (rc)
		return err_set(err, ENODEV, M1PMU_DEVICE ": %s", strerror(-rc));
	if (!(ret->flags & M1PMU_APPLE))
		return err_set(err, ENODEV,
			       "m1pmu is loaded, but has no PMU: it does not know these cores, or "
			       "this is a virtual machine that keeps it (dmesg | grep m1pmu)");
	return 0;
}

int apple_probe(const struct apple_io *io, const struct backend_config *config, struct err *err)
{
	struct m1pmu_info info = { 0 };
	int fd = io->open();

	if (fd < 0)
		return cannot_open(-fd, config, err);

	int rc = get_info(io, fd, &info, err);

	io->close(fd);
	if (rc)
		return rc;
	if (info.flags & M1PMU_DRIVER)
		return has_driver(ENODEV, err);
	return info.flags & M1PMU_OWNED ? is_owned(&info, err) : 0;
}

/* ---- owning it ---- */

static int not_acquired(const struct apple *apple, int code, struct err *err)
{
	struct m1pmu_info info = { 0 };
	int rc = get_info(apple->io, apple->fd, &info, err);

	if (rc)
		return rc;
	if (info.flags & M1PMU_DRIVER)
		return has_driver(EBUSY, err);
	if (code == EBUSY)
		return is_owned(&info, err);
	return err_set(err, code, "the PMU is not available: %s", strerror(code));
}

static int switch_on(const struct apple *apple, unsigned long request, const char *what,
		     struct err *err)
{
	uint32_t on = 1;
	int rc = apple->io->request(apple->fd, request, &on);

	return rc ? err_set(err, -rc, "m1pmu refused %s: %s", what, strerror(-rc)) : 0;
}

/* Not when the backend is opened: a verb that only lists events leaves the PMU to others. */
int apple_acquire(struct apple *apple, struct err *err)
{
	if (apple->is_owner)
		return 0;

	int rc = apple->io->request(apple->fd, M1PMU_ACQUIRE, NULL);

	if (rc)
		return not_acquired(apple, -rc, err);
	if (apple->options.l2c_cluster)
		rc = switch_on(apple, M1PMU_L2C, "l2c=cluster", err);
	if (!rc && apple->options.el0)
		rc = switch_on(apple, M1PMU_EL0, "el0", err);
	if (rc)
		apple->io->request(apple->fd, M1PMU_RELEASE, NULL);
	apple->is_owner = !rc;
	return rc;
}

void apple_release(struct apple *apple)
{
	if (!apple->is_owner)
		return;
	apple->io->request(apple->fd, M1PMU_RELEASE, NULL);
	apple->is_owner = false;
}

/* ---- opening and closing ---- */

static int begin_el0(struct apple *apple, struct err *err)
{
	int rc = apple->io->el0_begin(err);

	apple->has_sigill = !rc;
	err_set(&apple->base.note, 0,
		"apple:el0: while m1top counts, every process can read and write the PMU");
	return rc;
}

static int make(struct apple *apple, const struct backend_config *config, struct err *err)
{
	struct m1pmu_info info = { 0 };
	int rc = apple_options_parse(config->options, &apple->options, err);

	if (rc)
		return rc;
	apple->fd = apple->io->open();
	if (apple->fd < 0)
		return cannot_open(-apple->fd, config, err);
	rc = get_info(apple->io, apple->fd, &info, err);
	if (rc)
		return rc;
	apple->gen = apple->io->map(apple->fd, info.gen_bytes);
	apple->gen_bytes = info.gen_bytes;
	if (!apple->gen)
		return err_set(err, ENOMEM, M1PMU_DEVICE ": cannot be mapped");
	rc = apple_machine_make(apple, &info, config, err);
	return rc || !apple->options.el0 ? rc : begin_el0(apple, err);
}

/* The module puts every register back when the descriptor is closed. */
static void apple_close(struct backend *backend)
{
	struct apple *apple = (struct apple *)backend;

	if (apple->gen)
		apple->io->unmap(apple->gen, apple->gen_bytes);
	if (apple->fd >= 0)
		apple->io->close(apple->fd);
	if (apple->has_sigill)
		apple->io->el0_end();
	machine_fini(&apple->base.machine);
	free(apple);
}

int apple_open(const struct apple_io *io, const struct backend_config *config, struct backend **ret,
	       struct err *err)
{
	struct apple *apple = calloc(1, sizeof(*apple));

	if (!apple)
		return err_set(err, ENOMEM, "out of memory");
	apple->base.ops = &backend_apple;
	apple->base.pins = true;
	apple->io = io;
	apple->fd = -1;

	int rc = make(apple, config, err);

	if (rc) {
		apple_close(&apple->base);
		return rc;
	}
	*ret = &apple->base;
	return 0;
}

static int probe_here(const struct backend_config *config, struct err *err)
{
	return apple_probe(&apple_io, config, err);
}

static int open_here(const struct backend_config *config, struct backend **ret, struct err *err)
{
	return apple_open(&apple_io, config, ret, err);
}

static const char *holders(struct backend *backend, char *buf, size_t size)
{
	const struct apple *apple = (struct apple *)backend;
	struct m1pmu_info info = { 0 };

	buf[0] = '\0';
	if (!get_info(apple->io, apple->fd, &info, NULL) && (info.flags & M1PMU_OWNED) &&
	    !(info.flags & M1PMU_MINE))
		owner_text(info.owner_pid, buf, size);
	return buf;
}

const struct backend_ops backend_apple = {
	.name = "apple",
	.what = "the registers of an Apple PMU, through the kernel module m1pmu",
	.probe = probe_here,
	.open = open_here,
	.close = apple_close,
	.group_open = apple_group_open,
	.group_close = apple_group_close,
	.group_enable = apple_group_enable,
	.group_disable = apple_group_disable,
	.group_read = apple_group_read,
	.holders = holders,
	.faults = apple_faults,
};
