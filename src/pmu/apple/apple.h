/* apple.h: internal interface of the apple backend; included only by its files */
#ifndef PMU_APPLE_APPLE_H
#define PMU_APPLE_APPLE_H

#include <stdatomic.h>

#include "pmu/backend.h"
#include "kmod/m1pmu_abi.h"

/** Access to the module and the processor; tests replace it with a model. */
struct apple_io {
	int (*open)(void); /* descriptor of the device or -errno */
	void (*close)(int fd);
	int (*request)(int fd, unsigned long request, void *arg); /* ioctl: 0 or -errno */
	const void *(*map)(int fd, size_t size);                  /* read-only; NULL: failed */
	void (*unmap)(const void *at, size_t size);
	int (*cpu)(void);         /* CPU of the calling thread */
	uint64_t (*now_ns)(void); /* CLOCK_MONOTONIC, as in the module's reads */

	/* see regs.h */
	int (*el0_begin)(struct err *err);
	void (*el0_end)(void);
	bool (*el0_counters)(uint64_t *ret);
	bool (*el0_controls)(uint64_t *ret);
};

/** Options behind "apple:". */
struct apple_options {
	bool el0;         /* read counters by MRS instead of through the module */
	bool l2c_cluster; /* L2C events count the cluster's accesses, not the core's */
};

struct apple {
	struct backend base;
	const struct apple_io *io;
	struct apple_options options;
	int fd;
	bool is_owner;       /* owns the PMU: from the first counting group to the last */
	unsigned n_counting; /* groups that hold the PMU */
	bool has_sigill;     /* el0_begin was called */
	size_t gen_bytes;
	const struct m1pmu_gen *gen; /* by CPU number */
	_Atomic uint32_t faults;     /* struct faults, packed; 0: none */
	atomic_bool has_ended;       /* FAULT_ENDED was reported */
};

/** Faults that core threads report, see apple_faults. */
enum apple_fault {
	FAULT_PMCR0 = 1, /* register differs from the written value */
	FAULT_PMCR1,
	FAULT_PMESR0,
	FAULT_PMESR1,
	FAULT_EL0,     /* reading a counter trapped */
	FAULT_REFUSED, /* the module rejected the program */
	FAULT_ENDED,   /* the module ended the session; not replaced by later faults */
};

/** backend_ops.probe, for any device. */
int apple_probe(const struct apple_io *io, const struct backend_config *config, struct err *err);

/** backend_ops.open, for any device. */
int apple_open(const struct apple_io *io, const struct backend_config *config, struct backend **ret,
	       struct err *err);

/** Parse "el0,l2c=cluster". @text  NULL or "": none  @return 0; -EINVAL listing the known options */
int apple_options_parse(const char *text, struct apple_options *ret, struct err *err);

#endif
