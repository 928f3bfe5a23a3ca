/* instructions.c: instructions by libcapstone; without_symbols.c is built in its place by make WITHOUT=symbols
 *
 * It is loaded in a worker that needs it: every start would take longer with it.
 */
#include <capstone/capstone.h>
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/utf8.h"
#include "symbols/table/elf.h"
#include "symbols/table/lines.h"

#define TEXT_OF(number)  #number
#define LIBRARY(version) "libcapstone.so." TEXT_OF(version)

static struct {
	__typeof__(cs_open) *open;
	__typeof__(cs_option) *option;
	__typeof__(cs_malloc) *malloc;
	__typeof__(cs_disasm_iter) *disassemble;
} capstone;

static const struct {
	const char *name;
	void *to; /* pointer in `capstone` */
} functions[] = { { "cs_open", &capstone.open },
		  { "cs_option", &capstone.option },
		  { "cs_malloc", &capstone.malloc },
		  { "cs_disasm_iter", &capstone.disassemble } };

/* What libcapstone calls the processors of ELF files. */
static const struct processor {
	unsigned machine;
	cs_arch arch;
	cs_mode mode;
} processors[] = {
	{ EM_X86_64, CS_ARCH_X86, CS_MODE_64 },
	{ EM_386, CS_ARCH_X86, CS_MODE_32 },
	{ EM_AARCH64, CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN },
#if CS_API_MAJOR >= 5
	{ EM_RISCV, CS_ARCH_RISCV, (cs_mode)(CS_MODE_RISCV64 | CS_MODE_RISCVC) },
#endif
};

void instructions_load(void)
{
	void *library = dlopen(LIBRARY(CS_API_MAJOR), RTLD_NOW);

	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		void *address = library ? dlsym(library, functions[i].name) : NULL;

		memcpy(functions[i].to, &address, sizeof(address));
	}
}

static bool has_capstone(void)
{
	return capstone.open && capstone.option && capstone.malloc && capstone.disassemble;
}

/* Find the code of [start, end) in the file. @return NULL: it has none */
static const uint8_t *code_of(Elf *elf, const void *image, size_t size, const struct lines_of *of)
{
	GElf_Phdr segment;
	size_t n = 0;

	if (elf_getphdrnum(elf, &n))
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_LOAD &&
		    of->start >= segment.p_vaddr && of->end > of->start &&
		    of->end - segment.p_vaddr <= segment.p_filesz && segment.p_offset <= size &&
		    segment.p_filesz <= size - segment.p_offset)
			return (const uint8_t *)image + segment.p_offset +
			       (of->start - segment.p_vaddr);
	return NULL;
}

/* Begin to disassemble code of the file's processor. @return 0: it is none that libcapstone has */
static csh handle_of(Elf *elf)
{
	GElf_Ehdr header;
	csh handle = 0;

	for (size_t i = 0; gelf_getehdr(elf, &header) && i < ARRAY_SIZE(processors) && !handle; i++)
		if (header.e_machine == processors[i].machine &&
		    capstone.open(processors[i].arch, processors[i].mode, &handle) == CS_ERR_OK) {
			capstone.option(handle, CS_OPT_SKIPDATA, CS_OPT_ON);
			if (processors[i].arch == CS_ARCH_X86)
				capstone.option(handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
		}
	return handle;
}

int instructions_write(const void *image, size_t size, const struct lines_of *of, FILE *out)
{
	Elf *elf = elf_of(image, size);
	const uint8_t *code = elf ? code_of(elf, image, size, of) : NULL;
	csh handle = code && has_capstone() ? handle_of(elf) : 0;
	cs_insn *instruction = handle ? capstone.malloc(handle) : NULL;
	size_t n = (size_t)(of->end - of->start);
	uint64_t address = of->start;
	char shown[256];

	if (!elf || !has_capstone() || (code && !handle))
		return elf ? -ENOTSUP : -ENOEXEC;
	if (!instruction)
		return -ENODATA;
	for (unsigned i = 0; i < LINES_MAX; i++) {
		uint64_t start = address;
		char text[256];

		if (!capstone.disassemble(handle, &code, &n, &address, instruction))
			break;
		snprintf(text, sizeof(text), "%-7s %s", instruction->mnemonic, instruction->op_str);
		fprintf(out, "%" PRIx64 "\t%" PRIx64 "\t0\t%s\n", start, address,
			utf8_copy(text, shown, sizeof(shown)));
	}
	return 0; /* the worker ends: nothing is released */
}
