/*
 * A plugin of QEMU 7.2 to 8.2: instructions of all CPUs in user mode and in the kernel. A line "USER KERNEL" is written to
 * the file of out=FILE whenever a program of the guest executes the marker, nopl 0x3054314d(%rax). The CPUs take turns on
 * one thread of the host (-icount), so plain sums are enough. The declarations are those of qemu-plugin.h, which Debian
 * has in no package.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_info;
enum { ADD_U64, NO_REGISTERS = 0 };
#define PUBLIC __attribute__((visibility("default")))

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id,
					   void (*)(uint64_t id, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *, int operation, void *sum,
					      uint64_t summand);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *,
					    void (*)(unsigned cpu, void *), int registers, void *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *);

PUBLIC int qemu_plugin_version = 1;
PUBLIC int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc, char **argv);

static const uint8_t marker[] = { 0x0f, 0x1f, 0x80, 0x4d, 0x31, 0x54, 0x30 };
static uint64_t user, kernel;
static FILE *out;

static void mark(unsigned cpu, void *data)
{
	(void)cpu, (void)data;
	fprintf(out, "%" PRIu64 " %" PRIu64 "\n", user, kernel);
	fflush(out);
}

static void translated(uint64_t id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);

	(void)id;
	qemu_plugin_register_vcpu_tb_exec_inline(
		tb, ADD_U64, qemu_plugin_tb_vaddr(tb) >> 63 ? &kernel : &user, n);
	for (size_t i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		if (qemu_plugin_insn_size(insn) == sizeof(marker) &&
		    !memcmp(qemu_plugin_insn_data(insn), marker, sizeof(marker)))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, mark, NO_REGISTERS, NULL);
	}
}

PUBLIC int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc, char **argv)
{
	(void)info;
	out = argc == 1 && !strncmp(argv[0], "out=", 4) ? fopen(argv[0] + 4, "w") : NULL;
	if (!out)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
