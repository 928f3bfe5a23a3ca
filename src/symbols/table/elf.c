/* elf.c: functions of ELF files by libelf; without_symbols.c is built in its place by make WITHOUT=symbols */
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <gelf.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "symbols/table/elf.h"

/* A table of symbols or strings in the largest debug files, those of browsers, has 300 MB. */
enum { SECTION_MAX = 512 << 20, PACKED_MAX = 64 << 20 };

Elf *elf_of(const void *image, size_t size)
{
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_memory((char *)image, size);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		return elf;
	elf_end(elf);
	return NULL;
}

Elf_Data *elf_section_data(Elf_Scn *section, GElf_Shdr *ret)
{
	if (!section || !gelf_getshdr(section, ret) || ret->sh_type == SHT_NOBITS ||
	    ret->sh_size > SECTION_MAX)
		return NULL;
	return elf_getdata(section, NULL);
}

const char *elf_section_name(Elf *elf, Elf_Scn *section)
{
	GElf_Shdr header;
	size_t strings;
	const char *name = NULL;

	if (gelf_getshdr(section, &header) && !elf_getshdrstrndx(elf, &strings))
		name = elf_strptr(elf, strings, header.sh_name);
	return name ? name : "";
}

/* Get the contents of a section by its name. @return NULL: it is not there */
static Elf_Data *find_section(Elf *elf, const char *name, GElf_Shdr *ret)
{
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));)
		if (strcmp(elf_section_name(elf, section), name) == 0)
			return elf_section_data(section, ret);
	return NULL;
}

/* libelf finds nothing where memory ends. */
static void check_memory(struct code_table *table)
{
	table->is_short |= errno == ENOMEM;
	errno = 0;
}

static void read_segments(struct code_table *table, Elf *elf)
{
	size_t n = 0;

	if (elf_getphdrnum(elf, &n))
		return;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr header;

		if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_LOAD &&
		    header.p_flags & PF_X)
			table->is_short |=
				array_append((void **)&table->segment, &table->cap_segments,
					     &table->n_segments,
					     &(struct segment){ header.p_offset, header.p_filesz,
								header.p_vaddr },
					     sizeof(struct segment)) != 0;
	}
}

/* ---- symbols ---- */

/* Order of aliases: the first is shown. */
enum { RANKS = 6 };

static unsigned rank_of(const GElf_Sym *symbol, const char *name)
{
	unsigned bind = GELF_ST_BIND(symbol->st_info), underscored = name[0] == '_' ? 3 : 0;

	return underscored + (bind == STB_GLOBAL ? 0U : bind == STB_WEAK ? 1U : 2U);
}

/* Get the end of the code that a symbol is in. @return 0: it is not code */
static uint64_t code_end(Elf *elf, const GElf_Sym *symbol)
{
	GElf_Shdr header;
	bool is_code = symbol->st_shndx != SHN_UNDEF && symbol->st_shndx < SHN_LORESERVE &&
		       gelf_getshdr(elf_getscn(elf, symbol->st_shndx), &header) &&
		       header.sh_flags & SHF_EXECINSTR && symbol->st_value >= header.sh_addr &&
		       symbol->st_value - header.sh_addr < header.sh_size;

	return is_code ? header.sh_addr + header.sh_size : 0;
}

/* A symbol without a size lasts to the next one, which only a complete table tells. */
static void add_symbol(struct code_table *table, Elf *elf, const GElf_Sym *symbol, const char *name,
		       bool is_complete)
{
	unsigned type = GELF_ST_TYPE(symbol->st_info);
	bool is_open = !symbol->st_size;
	uint64_t end;

	if ((type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) || !name[0] ||
	    name[0] == '$' || (is_open && !is_complete))
		return;
	end = code_end(elf, symbol);
	if (end)
		table_add(table, symbol->st_value,
			  is_open ? end - symbol->st_value : symbol->st_size, is_open, name);
}

static void read_symbols(struct code_table *table, Elf *elf, unsigned type)
{
	GElf_Shdr header;
	GElf_Sym symbol;

	Elf_Scn *section = NULL;
	Elf_Data *data;

	/* a file has at most one of a type; the data of others are not loaded */
	while ((section = elf_nextscn(elf, section)) &&
	       (!gelf_getshdr(section, &header) || header.sh_type != type))
		;
	data = elf_section_data(section, &header);
	check_memory(table);
	if (!data)
		return;
	table->about.has_symtab |= type == SHT_SYMTAB;
	for (unsigned rank = 0; rank < RANKS; rank++)
		for (int i = 1; gelf_getsym(data, i, &symbol); i++) {
			const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);

			if (name && rank_of(&symbol, name) == rank)
				add_symbol(table, elf, &symbol, name, type == SHT_SYMTAB);
		}
	check_memory(table);
}

/* Unpack the table of symbols that Fedora leaves in stripped files: an ELF file within a section. */
static void read_packed(struct code_table *table, Elf *elf)
{
	Elf_Data *packed = find_section(elf, ".gnu_debugdata", &(GElf_Shdr){ 0 });
	lzma_ret rc = packed && packed->d_size ? LZMA_BUF_ERROR : LZMA_DATA_ERROR;
	uint8_t *bytes = NULL;
	size_t n = 0;

	for (size_t size = PACKED_MAX / 64; rc == LZMA_BUF_ERROR && size <= PACKED_MAX; size *= 4) {
		uint64_t limit = PACKED_MAX;
		size_t from = 0;

		free(bytes);
		bytes = malloc(size);
		n = 0;
		rc = bytes ? lzma_stream_buffer_decode(&limit, 0, NULL, packed->d_buf, &from,
						       packed->d_size, bytes, &n, size)
			   : LZMA_MEM_ERROR;
	}

	Elf *inner = rc == LZMA_OK ? elf_of(bytes, n) : NULL;

	table->is_short |=
		rc == LZMA_MEM_ERROR || rc == LZMA_MEMLIMIT_ERROR || rc == LZMA_BUF_ERROR;

	if (inner)
		read_symbols(table, inner, SHT_SYMTAB);
	elf_end(inner);
	free(bytes);
}

/* ---- functions without names ---- */

/* Add the starts of functions of .eh_frame_hdr, of the only form that linkers write: a sorted table of pairs of
 * 32-bit offsets from the header. Source: Linux Standard Base, 10.6.2 */
static void read_starts(struct code_table *table, Elf *elf)
{
	static const unsigned char form[] = { 1, 0x1b, 3, 0x3b };
	GElf_Shdr header = { 0 };
	Elf_Data *data = find_section(elf, ".eh_frame_hdr", &header);
	const unsigned char *bytes = data && data->d_size >= 12 ? data->d_buf : NULL;
	uint32_t n = 0;

	if (!bytes || memcmp(bytes, form, sizeof(form)) != 0)
		return;
	memcpy(&n, bytes + 8, sizeof(n));
	for (uint64_t i = 0; i < n && 12 + 8 * (i + 1) <= data->d_size; i++) {
		int32_t start;

		memcpy(&start, bytes + 12 + 8 * i, sizeof(start));
		table_add(table, header.sh_addr + (uint64_t)(int64_t)start, SYMBOL_OPEN, true,
			  NULL);
	}
}

/* ---- files ---- */

static void read_identity(struct code_table *table, Elf *elf)
{
	const void *id;
	GElf_Word crc;
	ssize_t n = dwelf_elf_gnu_build_id(elf, &id);
	const char *link = dwelf_elf_gnu_debuglink(elf, &crc);

	if (n > 0 && n <= BUILD_ID_MAX)
		memcpy(table->about.build_id.byte, id, table->about.build_id.n = (uint32_t)n);
	if (link && !strchr(link, '/'))
		snprintf(table->about.debug_link, sizeof(table->about.debug_link), "%s", link);
}

int table_read_elf(struct code_table *table, const void *image, size_t size)
{
	Elf *elf = elf_of(image, size);

	if (!elf)
		return -ENOEXEC;
	errno = 0;
	read_segments(table, elf);
	read_identity(table, elf);
	read_symbols(table, elf, SHT_SYMTAB);
	read_symbols(table, elf, SHT_DYNSYM);
	plt_read(table, elf);
	if (!table->about.has_symtab)
		read_packed(table, elf);
	read_starts(table, elf); /* some files keep a few of their symbols */
	check_memory(table);
	elf_end(elf);
	return 0;
}

int table_read_debug(struct code_table *table, const void *image, size_t size)
{
	Elf *elf = elf_of(image, size);
	int rc = elf ? 0 : -ENOEXEC;

	errno = 0;
	if (!rc && !elf_has_build_id(elf, table->about.build_id.byte, table->about.build_id.n))
		rc = -ENOENT;
	if (!rc)
		read_symbols(table, elf, SHT_SYMTAB);
	elf_end(elf);
	return rc;
}

bool elf_has_build_id(Elf *elf, const unsigned char *id, size_t n)
{
	const void *has;

	return n && dwelf_elf_gnu_build_id(elf, &has) == (ssize_t)n && memcmp(has, id, n) == 0;
}
