/* apple.h: what the files of the apple backend share; nobody else includes it */
#ifndef BACKEND_APPLE_APPLE_H
#define BACKEND_APPLE_APPLE_H

#include <stdatomic.h>

#include "backend/backend.h"
#include "backend/kmod/m1pmu_abi.h"

/** How the module and the processor are reached; the tests put a model in its place. */
struct apple_io {
	int (*open)(void); /* descriptor of the device or -errno */
	void (*close)(int fd);
	int (*request)(int fd, unsigned long request, void *arg); /* ioctl: 0 or -errno */
	const void *(*map)(int fd, size_t size);                  /* read only; NULL: failed */
	void (*unmap)(const void *at, size_t size);
	int (*cpu)(void);         /* that the thread runs on */
	uint64_t (*now_ns)(void); /* CLOCK_MONOTONIC, as the module stamps its reads */

	/* See regs.h */
	int (*el0_begin)(struct err *err);
	void (*el0_end)(void);
	bool (*el0_counters)(uint64_t *ret);
	bool (*el0_controls)(uint64_t *ret);
};

/** The device and the registers of this machine. */
extern const struct apple_io apple_io;

/** What stands behind "apple:". */
struct apple_options {
	bool el0;         /* read by MRS instead of asking the module */
	bool l2c_cluster; /* L2C events count what the cluster did, not the core */
};

struct apple {
	struct backend base;
	const struct apple_io *io;
	struct apple_options options;
	int fd;
	bool is_owner;       /* of the PMU: from the first group that counts to the last */
	unsigned n_counting; /* groups that hold it */
	bool has_sigill;     /* el0_begin was called */
	size_t gen_bytes;
	const struct m1pmu_gen *gen; /* by CPU number */
	_Atomic uint32_t faults;     /* struct faults, packed; 0: none */
	atomic_bool has_ended;       /* FAULT_ENDED was told */
};

/** What core threads have to tell: see apple_faults. */
enum apple_fault {
	FAULT_PMCR0 = 1, /* a register that was not as it had been written */
	FAULT_PMCR1,
	FAULT_PMESR0,
	FAULT_PMESR1,
	FAULT_EL0,     /* reading it trapped */
	FAULT_REFUSED, /* the module did not take the program */
	FAULT_ENDED,   /* the module has ended the session; not replaced by another */
};

/** Leave a fault for the main thread; a newer one replaces it. Any thread. */
void apple_tell_fault(struct apple *apple, enum apple_fault what, unsigned cpu);

/** backend_ops.faults */
const char *apple_faults(struct backend *backend, char *buf, size_t size);

/** backend_ops.probe, through any device. */
int apple_probe(const struct apple_io *io, const struct backend_config *config, struct err *err);

/** backend_ops.open, through any device. */
int apple_open(const struct apple_io *io, const struct backend_config *config, struct backend **ret,
	       struct err *err);

/** Read "el0,l2c=cluster". @text  NULL or "": none  @return 0; -EINVAL naming what is known */
int apple_options_parse(const char *text, struct apple_options *ret, struct err *err);

/**
 * Fill base.machine: cores and their types from the module, places from sysfs.
 *
 * @return 0; -ENODEV no core that the module knows; errors of sysfs_machine and the catalogues
 */
int apple_machine_make(struct apple *apple, const struct m1pmu_info *info,
		       const struct backend_config *config, struct err *err);

/** Is this machine Apple's, by the MIDR of its first online CPU? */
bool apple_is_here(const struct backend_config *config);

/** Become the owner of the PMU, with the options set. 0 also for the owner. @return as probe */
int apple_acquire(struct apple *apple, struct err *err);

/** Give it up; the module puts all registers back. Harmless when it is not held. */
void apple_release(struct apple *apple);

/** backend_ops.group_*: see backend.h */
int apple_group_open(struct backend *backend, unsigned core, const struct set *set,
		     struct group **ret, struct err *err);
void apple_group_close(struct group *group);
int apple_group_enable(struct group *group);
int apple_group_disable(struct group *group);
int apple_group_read(struct group *group, struct sample *ret);

#endif
