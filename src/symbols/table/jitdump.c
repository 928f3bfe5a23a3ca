/* jitdump.c: functions of generated code, as node --perf-prof, Julia and LLVM write them for perf record
 *
 * Source: Linux tools/perf/Documentation/jitdump-specification.txt
 */
#include <errno.h>
#include <string.h>

#include "symbols/table/table.h"

#define MAGIC UINT32_C(0x4a695444) /* in the byte order of the process */

struct dump_header {
	uint32_t magic, version, size, machine, pad, pid;
	uint64_t t_ns, flags;
};

struct dump_record {
	uint32_t id, size;
	uint64_t t_ns;
};

enum {
	CODE_LOAD = 0
}; /* others: lines, tables of unwinding; code that moves, which no known program writes */

/** Behind a record of CODE_LOAD; the name and the code follow. */
struct dump_load {
	uint32_t pid, tid;
	uint64_t vma, address, size, index;
};

static void add_loaded(struct code_table *table, const char *bytes, size_t n)
{
	struct dump_load load;
	const char *name = bytes + sizeof(load);

	if (n <= sizeof(load) || !memchr(name, '\0', n - sizeof(load)) || !*name)
		return;
	memcpy(&load, bytes, sizeof(load));
	if (load.address && load.size)
		table_add(table, load.address, load.size, false, name);
}

int table_read_jitdump(struct code_table *table, const void *image, size_t size)
{
	const char *bytes = image;
	struct dump_header header;
	struct dump_record record;

	if (size < sizeof(header))
		return -ENOEXEC;
	memcpy(&header, bytes, sizeof(header));
	if (header.magic != MAGIC || header.size < sizeof(header))
		return -ENOEXEC;
	table->about.is_jitdump = true;
	for (size_t at = header.size; at < size && size - at >= sizeof(record); at += record.size) {
		memcpy(&record, bytes + at, sizeof(record));
		if (record.size < sizeof(record) || record.size > size - at)
			break; /* it is being written */
		if (record.id == CODE_LOAD)
			add_loaded(table, bytes + at + sizeof(record),
				   record.size - sizeof(record));
	}
	return 0;
}
