/* SPDX-License-Identifier: GPL-2.0 */
/* compat.h: what differs between the kernels that the module is built for */
#ifndef M1PMU_COMPAT_H
#define M1PMU_COMPAT_H

#include <linux/mm.h>
#include <linux/version.h>

static inline void compat_vm_never_writable(struct vm_area_struct *vma)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	vm_flags_clear(vma, VM_MAYWRITE);
#else
	vma->vm_flags &= ~VM_MAYWRITE;
#endif
}

#endif
