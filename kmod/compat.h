/* SPDX-License-Identifier: GPL-2.0 */
/* compat.h: differences between kernel versions */
#ifndef M1PMU_COMPAT_H
#define M1PMU_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/version.h>

static inline void compat_vm_never_writable(struct vm_area_struct *vma)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	vm_flags_clear(vma, VM_MAYWRITE);
#else
	vma->vm_flags &= ~VM_MAYWRITE;
#endif
}

static inline void compat_hrtimer_setup(struct hrtimer *timer,
					enum hrtimer_restart (*function)(struct hrtimer *),
					clockid_t clock, enum hrtimer_mode mode)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(timer, function, clock, mode);
#else
	hrtimer_init(timer, clock, mode);
	timer->function = function;
#endif
}

/*
 * Check the security modules, if a module can: perf_allow_kernel() is exported by kernels of 2025
 * and by older ones with a backport (see Kbuild).
 */
static inline int compat_perf_allow_kernel(void)
{
#ifdef HAS_PERF_ALLOW_KERNEL
	return perf_allow_kernel();
#else
	return 0;
#endif
}

#endif
