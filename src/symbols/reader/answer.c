/* answer.c: checks of an answer, which may be in an attacker's hands */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/reader/reader.h"

/* Whether the table is what an honest worker sends: sorted, and names within. */
static bool is_sound(const struct code_table *table)
{
	if (table->n_names && (table->names[0] || table->names[table->n_names - 1]))
		return false;
	for (size_t i = 0; i < table->n; i++) {
		const struct symbol *symbol = &table->symbol[i];

		if (!symbol->size || symbol->size & SYMBOL_OPEN ||
		    symbol->start > UINT64_MAX - symbol->size ||
		    (symbol->name && symbol->name >= table->n_names) ||
		    (i && symbol->start < symbol[-1].start + symbol[-1].size))
			return false;
	}
	return true;
}

int answer_table(const struct wire_answer *answer, char *payload, size_t n, struct code_table **ret)
{
	size_t symbols = answer->n_symbols * sizeof(struct symbol),
	       segments = answer->n_segments * sizeof(struct segment);
	struct code_table *table;

	if (symbols + segments + answer->n_text != n || answer->n_build_id > BUILD_ID_MAX ||
	    answer->debug_link[sizeof(answer->debug_link) - 1] || strchr(answer->debug_link, '/'))
		return -EBADMSG;
	table = calloc(1, sizeof(*table));
	if (!table)
		return -ENOMEM;
	table->block = payload;
	table->symbol = (struct symbol *)payload;
	table->segment = (struct segment *)(payload + symbols);
	table->names = payload + symbols + segments;
	table->n = table->cap = answer->n_symbols;
	table->n_segments = table->cap_segments = answer->n_segments;
	table->n_names = table->cap_names = answer->n_text;
	table->has_symtab = answer->has_symtab;
	table->n_build_id = answer->n_build_id;
	memcpy(table->build_id, answer->build_id, sizeof(table->build_id));
	memcpy(table->debug_link, answer->debug_link, sizeof(table->debug_link));
	table->refs = 1;
	if (!is_sound(table)) {
		free(table);
		return -EBADMSG;
	}
	*ret = table;
	return 0;
}
