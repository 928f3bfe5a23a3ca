// SPDX-License-Identifier: GPL-2.0
/* main.c: the device /dev/m1pmu and its registration; interface: m1pmu_abi.h */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <asm/cputype.h>

#include "compat.h"
#include "m1pmu.h"

module_param_named(amu, m1pmu_amu, bool, 0444);
MODULE_PARM_DESC(amu, "read activity monitors; firmware that does not enable them can hang the machine (default: no)");

module_param_named(l2c_bit, m1pmu_l2c_bit, uint, 0444);
MODULE_PARM_DESC(l2c_bit, "bit of PMCR0 for cluster-wide L2C events: 23 (default) or 21");

static bool el0;
module_param(el0, bool, 0444);
MODULE_PARM_DESC(el0, "allow user access to the registers without CAP_SYS_RAWIO (default: no)");

static unsigned long gen_bytes;

/* ---- requests: each copies its own argument ---- */

/* Whether there is EL3, which the Secure state requires. */
static bool has_el3(void)
{
	return read_cpuid(ID_AA64PFR0_EL1) >> 12 & 0xf;
}

/* Copy an answer, unless there is an error. */
static long answer(int err, void __user *arg, const void *from, unsigned long size)
{
	if (err)
		return err;
	return copy_to_user(arg, from, size) ? -EFAULT : 0;
}

static long info_request(struct file *file, void __user *arg)
{
	struct m1pmu_info info = {
		.abi = M1PMU_ABI,
		.flags = (m1pmu_chip ? M1PMU_APPLE : 0) | (m1pmu_amu ? M1PMU_AMU : 0) |
			 (m1pmu_driver_bound(false) ? M1PMU_DRIVER : 0) |
			 (has_el3() ? 0 : M1PMU_NO_EL3),
		.n_cpus = nr_cpu_ids,
		.n_counters = M1PMU_N_COUNTERS,
		.gen_bytes = gen_bytes,
		.l2c_bit = m1pmu_l2c_bit,
	};

	m1pmu_session_info(file, &info);
	return answer(0, arg, &info, sizeof(info));
}

static void describe_chip(const struct m1pmu_chip *chip, struct m1pmu_cpu *ret)
{
	if (chip->masks)
		ret->flags |= M1PMU_CPU_MASKS;
	ret->type = ret->midr & 0x10 ? 'P' : 'E';
	ret->n_counters = M1PMU_N_COUNTERS;
	ret->width = chip->width;
	ret->event_bits = chip->event_bits;
	strscpy(ret->family, chip->family, sizeof(ret->family));
}

static void describe_cpu(struct m1pmu_cpu *ret)
{
	const struct m1pmu_core *core = per_cpu_ptr(&m1pmu_cores, ret->cpu);
	const struct m1pmu_chip *chip = m1pmu_chip_of(core->midr);

	ret->midr = core->midr;
	if (cpu_online(ret->cpu))
		ret->flags |= M1PMU_CPU_ONLINE;
	if (m1pmu_amu_is_on(ret->cpu))
		ret->flags |= M1PMU_CPU_AMU;
	if (chip)
		describe_chip(chip, ret);
}

static long cpu_request(struct file *file, void __user *arg)
{
	struct m1pmu_cpu cpu = {};
	int err;

	if (get_user(cpu.cpu, (__u32 __user *)arg))
		return -EFAULT;
	err = m1pmu_check_cpu(&cpu.cpu);
	if (!err)
		describe_cpu(&cpu);
	return answer(err, arg, &cpu, sizeof(cpu));
}

static long program_request(struct file *file, void __user *arg)
{
	struct m1pmu_program __user *user = arg;
	struct m1pmu_program program;
	int err;

	if (copy_from_user(&program, user, sizeof(program)))
		return -EFAULT;
	program.counter = -1;
	err = m1pmu_program(file, &program);
	if (put_user(program.counter, &user->counter))
		return -EFAULT;
	return err;
}

static long read_request(struct file *file, void __user *arg)
{
	struct m1pmu_read read;
	int err = m1pmu_read(file, &read, NULL);

	return answer(err, arg, &read, sizeof(read));
}

static long regs_request(struct file *file, void __user *arg)
{
	struct m1pmu_regs regs;
	int err = m1pmu_read(file, NULL, &regs);

	return answer(err, arg, &regs, sizeof(regs));
}

static long l2c_request(struct file *file, void __user *arg)
{
	u32 cluster;

	if (get_user(cluster, (__u32 __user *)arg))
		return -EFAULT;
	return m1pmu_set_l2c(file, cluster);
}

/* Open or close the registers. Opening lets every process stall cores, so counting rights are not enough. */
static long el0_request(struct file *file, void __user *arg)
{
	u32 on;

	if (get_user(on, (__u32 __user *)arg))
		return -EFAULT;
	if (on && !el0 && !file_ns_capable(file, &init_user_ns, CAP_SYS_RAWIO)) {
		m1pmu_note_caller("needs CAP_SYS_RAWIO to open the registers to user space, or the module parameter el0=1");
		return -EPERM;
	}
	return m1pmu_set_el0(file, on);
}

static long amu_request(struct file *file, void __user *arg)
{
	struct m1pmu_amu monitors;
	int err = m1pmu_amu_read(&monitors);

	return answer(err, arg, &monitors, sizeof(monitors));
}

static long m1pmu_ioctl(struct file *file, unsigned int request, unsigned long number)
{
	void __user *arg = (void __user *)number;

	switch (request) {
	case M1PMU_INFO:
		return info_request(file, arg);
	case M1PMU_CPU:
		return cpu_request(file, arg);
	case M1PMU_ACQUIRE:
		return m1pmu_acquire(file);
	case M1PMU_RELEASE:
		return m1pmu_release(file);
	case M1PMU_PROGRAM:
		return program_request(file, arg);
	case M1PMU_READ:
		return read_request(file, arg);
	case M1PMU_REGS:
		return regs_request(file, arg);
	case M1PMU_EL0:
		return el0_request(file, arg);
	case M1PMU_L2C:
		return l2c_request(file, arg);
	case M1PMU_AMU_READ:
		return amu_request(file, arg);
	default:
		return -ENOTTY;
	}
}

/* ---- the device ---- */

/* Check the caller as perf does for counting the kernel on all CPUs, if the kernel exports that check. */
static int check_caller(void)
{
	int err;

	if (!perfmon_capable()) {
		m1pmu_note_caller("needs CAP_PERFMON or CAP_SYS_ADMIN");
		return -EPERM;
	}
	err = compat_perf_allow_kernel();
	if (err)
		m1pmu_note_caller("may not count the kernel: a security module refuses it");
	return err;
}

static int m1pmu_open(struct inode *inode, struct file *file)
{
	int err = check_caller();

	return err ? err : nonseekable_open(inode, file);
}

/* Release the PMU with the last reference: closed, or its process was killed. */
static int m1pmu_close(struct inode *inode, struct file *file)
{
	m1pmu_release(file);
	return 0;
}

static int m1pmu_mmap(struct file *file, struct vm_area_struct *vma)
{
	if (vma->vm_flags & VM_WRITE)
		return -EPERM;
	compat_vm_never_writable(vma);
	return remap_vmalloc_range(vma, m1pmu_gens, vma->vm_pgoff);
}

static const struct file_operations operations = {
	.owner = THIS_MODULE,
	.open = m1pmu_open,
	.release = m1pmu_close,
	.unlocked_ioctl = m1pmu_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = m1pmu_mmap,
};

/* For root, unless a udev rule permits others; open() checks the capability as well. */
static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "m1pmu",
	.mode = 0600,
	.fops = &operations,
};

/* Check for a virtual machine where MIDR_EL1 is Apple's but the PMU traps. */
static int __init check_registers(u32 midr)
{
	const char *reg = m1pmu_first_trap();

	if (!reg)
		return 0;
	pr_err("this CPU (MIDR %#010x) is Apple's, but reading %s traps: the hypervisor of this virtual machine keeps the PMU to itself\n",
	       midr, reg);
	return -ENODEV;
}

static int __init find_pmu(void)
{
	u32 midr = read_cpuid_id();
	const struct m1pmu_chip *chip = m1pmu_chip_of(midr);
	int err;

	if (!chip && m1pmu_amu)
		return -ENODEV;
	if (!chip) {
		pr_err("this CPU (MIDR %#010x) is not an Apple core that the module knows\n", midr);
		return -ENODEV;
	}
	err = check_registers(midr);
	if (err)
		return err;
	m1pmu_chip = chip;
	return m1pmu_driver_bound(true) ? -EBUSY : 0;
}

static int __init m1pmu_init(void)
{
	int err;

	if (m1pmu_l2c_bit != 21 && m1pmu_l2c_bit != 23) {
		pr_err("l2c_bit must be 21 or 23\n");
		return -EINVAL;
	}
	err = find_pmu();
	if (err && !m1pmu_amu) /* with amu=1 the module is useful without a PMU */
		return err;
	gen_bytes = PAGE_ALIGN(nr_cpu_ids * sizeof(*m1pmu_gens));
	m1pmu_gens = vmalloc_user(gen_bytes);
	if (!m1pmu_gens)
		return -ENOMEM;
	m1pmu_guard_init();
	err = m1pmu_power_init();
	if (err)
		goto fail_power;
	err = m1pmu_driver_watch();
	if (err)
		goto fail_driver;
	err = misc_register(&device);
	if (err)
		goto fail_device;
	pr_info("ABI %d, %s\n", M1PMU_ABI, m1pmu_chip ? m1pmu_chip->family : "no PMU, AMU only");
	return 0;

fail_device:
	m1pmu_driver_unwatch();
fail_driver:
	m1pmu_power_exit();
fail_power:
	vfree(m1pmu_gens);
	return err;
}

static void __exit m1pmu_exit(void)
{
	misc_deregister(&device);
	m1pmu_driver_unwatch();
	m1pmu_session_exit();
	m1pmu_power_exit();
	vfree(m1pmu_gens);
}

module_init(m1pmu_init);
module_exit(m1pmu_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Apple silicon core PMU for m1top");
MODULE_AUTHOR("The m1top project");
MODULE_VERSION("1");
