// SPDX-License-Identifier: GPL-2.0-only
/*
 * pmcg_ram: TEST ONLY. Plays the registers of SMMUv3 performance counter groups in reserved memory, so
 * that the kernel's own driver, loaded after it, finds counters there. Not for real machines.
 *
 * /sys/kernel/debug/pmcg_ram/
 *   regs   what the driver has written: a line a group and counter
 *   ctl    one command a write:
 *            add GROUP EVENT STREAM N   this happens N times: every counter that counts it adds N
 *
 * Memory has no side effects: what is written to the set and clear registers stays as it is, and no
 * counter overflows. Group 0 filters each counter by itself, group 1 all by the filter of counter 0.
 */
#include <linux/bitfield.h>
#include <linux/debugfs.h>
#include <linux/io.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/of_address.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#define N_GROUPS        3
#define N_COUNTERS      4

/* Arm IHI 0070, 10.6: SMMU_PMCG_* */
#define EVCNTR(n, size) ((n) * (size))
#define EVTYPER(n)      (0x400 + (n)*4)
#define EVTYPER_EVENT   GENMASK(15, 0)
#define EVTYPER_SPAN    BIT(29)
#define EVTYPER_SEC     BIT(30)
#define SMR(n)          (0xa00 + (n)*4)
#define CFGR            0xe00
#define CFGR_GLOBAL     BIT(23)
#define CFGR_SIZE(bits) (((bits)-1) << 8)
#define CFGR_NCTR(n)    ((n)-1)
#define CR              0xe04
#define CEID0           0xe20

struct group {
	void __iomem *regs;
	u32 cfgr;
	u64 ceid;
	unsigned int size; /* bytes of a counter */
};

/* The second one knows no ATS events. Of the third all reads as zero, as where SCR.NSRA is 0. */
static struct group groups[N_GROUPS] = {
	{ .cfgr = CFGR_NCTR(N_COUNTERS) | CFGR_SIZE(32), .ceid = 0xff, .size = 4 },
	{ .cfgr = CFGR_NCTR(N_COUNTERS) | CFGR_SIZE(64) | CFGR_GLOBAL, .ceid = 0x3f, .size = 8 },
	{ .size = 4 },
};

static struct dentry *folder;

/* As the architecture has it: with SPAN the ones at the end of the id, and the 0 before them, match
 * anything. */
static bool lets_in(const struct group *group, int counter, u32 stream)
{
	int from = group->cfgr & CFGR_GLOBAL ? 0 : counter;
	u32 id = readl(group->regs + SMR(from)), any = 0;

	if (readl(group->regs + EVTYPER(from)) & EVTYPER_SPAN) {
		if (id == ~0u)
			return true;
		any = GENMASK(ffz(id), 0);
	}
	return (id & ~any) == (stream & ~any);
}

static void add(struct group *group, int counter, u64 n)
{
	void __iomem *at = group->regs + EVCNTR(counter, group->size);

	if (group->size == 8)
		writeq(readq(at) + n, at);
	else
		writel(readl(at) + n, at);
}

static int command_add(const char *text)
{
	unsigned int number, event, stream;
	u64 n;
	int i;

	if (sscanf(text, "add %u %i %i %llu", &number, &event, &stream, &n) != 4 ||
	    number >= N_GROUPS)
		return -EINVAL;
	for (i = 0; i < N_COUNTERS; i++)
		if (FIELD_GET(EVTYPER_EVENT, readl(groups[number].regs + EVTYPER(i))) == event &&
		    lets_in(&groups[number], i, stream))
			add(&groups[number], i, n);
	return 0;
}

static ssize_t ctl_write(struct file *file, const char __user *from, size_t n, loff_t *offset)
{
	char text[128];
	int ret;

	if (n >= sizeof(text) || copy_from_user(text, from, n))
		return -EINVAL;
	text[n] = '\0';
	ret = command_add(text);
	return ret ? ret : n;
}

static const struct file_operations ctl_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = ctl_write,
};

static int regs_show(struct seq_file *file, void *unused)
{
	int i, k;

	for (i = 0; i < N_GROUPS; i++)
		for (k = 0; k < N_COUNTERS; k++)
			seq_printf(
				file, "%d.%d event=%u span=%u smr=%#x cr=%u sec=%u\n", i, k,
				(u32)FIELD_GET(EVTYPER_EVENT, readl(groups[i].regs + EVTYPER(k))),
				!!(readl(groups[i].regs + EVTYPER(k)) & EVTYPER_SPAN),
				readl(groups[i].regs + SMR(k)), readl(groups[i].regs + CR),
				!!(readl(groups[i].regs + EVTYPER(k)) & EVTYPER_SEC));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(regs);

static int map_groups(void)
{
	struct device_node *node = NULL;
	int i;

	for (i = 0; i < N_GROUPS; i++) {
		node = of_find_compatible_node(node, NULL, "arm,smmu-v3-pmcg");
		groups[i].regs = node ? of_iomap(node, 0) : NULL;
		if (!groups[i].regs)
			return -ENODEV;
		memset_io(groups[i].regs, 0, 0x1000);
		writel(groups[i].cfgr, groups[i].regs + CFGR);
		writeq(groups[i].ceid, groups[i].regs + CEID0);
	}
	of_node_put(node);
	return 0;
}

static void unmap_groups(void)
{
	int i;

	for (i = 0; i < N_GROUPS; i++)
		if (groups[i].regs)
			iounmap(groups[i].regs);
}

static int __init pmcg_ram_init(void)
{
	int ret = map_groups();

	if (ret) {
		unmap_groups();
		return ret;
	}
	folder = debugfs_create_dir("pmcg_ram", NULL);
	debugfs_create_file("regs", 0444, folder, NULL, &regs_fops);
	debugfs_create_file("ctl", 0200, folder, NULL, &ctl_fops);
	return 0;
}

static void __exit pmcg_ram_exit(void)
{
	debugfs_remove_recursive(folder);
	unmap_groups();
}

module_init(pmcg_ram_init);
module_exit(pmcg_ram_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("TEST ONLY: SMMUv3 performance counter groups in memory");
