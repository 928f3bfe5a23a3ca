/* plt.c: stubs of the procedure linkage table, each named by the slot that it jumps through */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "symbols/table/elf.h"

/* An entry of 16 bytes: on x86-64, and on arm64 but for the first two. */
enum { ENTRY = 16 };

struct plt_slot {
	uint64_t address;
	const char *name;
};

struct plt_slots {
	struct plt_slot *slot;
	size_t n, cap;
};

static int compare_slots(const void *a, const void *b)
{
	const struct plt_slot *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

/* Return the name of a symbol of the section that the relocations refer to. */
static const char *symbol_name(Elf *elf, const GElf_Shdr *relocations, uint64_t number)
{
	GElf_Shdr header;
	GElf_Sym symbol;
	Elf_Data *data = elf_section_data(elf_getscn(elf, relocations->sh_link), &header);

	if (!number || number > INT32_MAX || !data || !gelf_getsym(data, (int)number, &symbol))
		return NULL;
	return elf_strptr(elf, header.sh_link, symbol.st_name);
}

static void read_slots(struct plt_slots *slots, Elf *elf)
{
	GElf_Shdr header;
	GElf_Rela relocation;

	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_RELA ||
		    !(header.sh_flags & SHF_ALLOC))
			continue;

		Elf_Data *data = elf_section_data(section, &header);

		for (int i = 0; data && gelf_getrela(data, i, &relocation); i++) {
			uint64_t number = GELF_R_SYM(relocation.r_info);
			struct plt_slot slot = { relocation.r_offset,
						 symbol_name(elf, &header, number) };

			if (slot.name && *slot.name)
				(void)array_append((void **)&slots->slot, &slots->cap, &slots->n,
						   &slot, sizeof(slot));
		}
	}
	if (slots->n)
		qsort(slots->slot, slots->n, sizeof(*slots->slot), compare_slots);
}

/* x86-64: `jmp *offset(%rip)`, perhaps behind endbr64 or a prefix. @return 0: it is none */
static uint64_t slot_x86(const unsigned char *code, uint64_t address)
{
	for (unsigned i = 0; i + 6 <= ENTRY; i++)
		if (code[i] == 0xff && code[i + 1] == 0x25) {
			int32_t offset;

			memcpy(&offset, code + i + 2, sizeof(offset));
			return address + i + 6 + (uint64_t)(int64_t)offset;
		}
	return 0;
}

/* arm64: `adrp x16, page; ldr x17, [x16, #offset]`, perhaps behind bti. @return 0: it is none */
static uint64_t slot_arm(const unsigned char *code, uint64_t address)
{
	uint32_t word[ENTRY / 4];

	memcpy(word, code, sizeof(word));
	for (unsigned i = 0; i < 2; i++) {
		if ((word[i] & 0x9f00001f) != 0x90000010 ||
		    (word[i + 1] & 0xffc003ff) != 0xf9400211)
			continue;

		int64_t pages = (int64_t)((uint64_t)(word[i] >> 5 & 0x7ffff) << 45) >> 43;

		pages |= word[i] >> 29 & 3;
		return ((address + i * 4) & ~UINT64_C(0xfff)) + (uint64_t)pages * 4096 +
		       (word[i + 1] >> 10 & 0xfff) * 8;
	}
	return 0;
}

static void name_entries(struct code_table *table, const struct plt_slots *slots, Elf_Data *data,
			 uint64_t address, unsigned machine)
{
	char name[512];

	for (size_t at = 0; at + ENTRY <= data->d_size; at += ENTRY) {
		const unsigned char *code = (const unsigned char *)data->d_buf + at;
		struct plt_slot wanted = { .address = machine == EM_X86_64
							      ? slot_x86(code, address + at)
							      : slot_arm(code, address + at) };
		const struct plt_slot *slot = wanted.address && slots->n
						      ? bsearch(&wanted, slots->slot, slots->n,
								sizeof(wanted), compare_slots)
						      : NULL;

		if (slot && snprintf(name, sizeof(name), "%s@plt", slot->name) < (int)sizeof(name))
			table_add(table, address + at, ENTRY, false, name);
	}
}

void plt_read(struct code_table *table, Elf *elf)
{
	struct plt_slots slots = { 0 };
	GElf_Ehdr file;
	GElf_Shdr header;

	if (!gelf_getehdr(elf, &file) || file.e_ident[EI_CLASS] != ELFCLASS64 ||
	    (file.e_machine != EM_X86_64 && file.e_machine != EM_AARCH64))
		return;
	read_slots(&slots, elf);
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		if (strncmp(elf_section_name(elf, section), ".plt", strlen(".plt")) != 0)
			continue;

		Elf_Data *data = elf_section_data(section, &header);

		if (data && data->d_buf && header.sh_flags & SHF_EXECINSTR)
			name_entries(table, &slots, data, header.sh_addr, file.e_machine);
	}
	free(slots.slot);
}
