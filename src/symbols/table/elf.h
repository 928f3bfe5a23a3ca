/* elf.h: access to ELF files by libelf */
#ifndef SYMBOLS_TABLE_ELF_H
#define SYMBOLS_TABLE_ELF_H

#include <gelf.h>

#include "symbols/table/table.h"

/** Open a file in memory. @return NULL: it is no ELF file */
Elf *elf_of(const void *image, size_t size);

/** Get the contents of a section. @return NULL: it has none, or is too large */
Elf_Data *elf_section_data(Elf_Scn *section, GElf_Shdr *ret);

/** Return the name of a section, "" without. */
const char *elf_section_name(Elf *elf, Elf_Scn *section);

/** Whether a file has this build id. */
bool elf_has_build_id(Elf *elf, const unsigned char *id, size_t n);

/** Add the stubs through which functions of other objects are called, as "function@plt". */
void plt_read(struct code_table *table, Elf *elf);

#endif
