/* Any bytes as the configuration: read, applied to options, written over itself. What was read
 * without a problem is read so again from what was written. */
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/options/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

static struct config first, second; /* large */

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	setlocale(LC_CTYPE, "C.UTF-8");
	return 0;
}

/* Every key means something, or nothing, but never what is not in the table. */
static void press(const struct keymap *keymap)
{
	char name[32];
	bool is_taken;

	for (int key = 1; key < 1024; key++) {
		int code = keymap_code(keymap, key, &is_taken);

		if (code != key && !keymap_action_name(keymap, code, name, sizeof(name)))
			abort();
	}
}

static void read_again(const struct text *text)
{
	struct text again = { 0 };

	config_parse(&second, text->bytes, text->n);
	if (second.n_problems)
		abort();
	if (config_print(&second, text->bytes, text->n, &again, NULL) < 0 || again.n != text->n ||
	    memcmp(again.bytes, text->bytes, text->n) != 0)
		abort();
	text_fini(&again);
	config_close(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct options options = { .budget_pct = 5 };
	char *bytes = malloc(size + 1); /* as invoker_read gives it */
	struct text text = { 0 };
	struct err err = { "" };

	if (!bytes)
		return 0;
	memcpy(bytes, data, size);
	bytes[size] = '\0';
	config_parse(&first, bytes, size);
	config_apply(&first, VERB_LIVE, &options);
	press(&first.keymap);
	if (config_print(&first, bytes, size, &text, &err) == 0) {
		if (!first.n_problems)
			read_again(&text);
	} else if (!err.text[0]) {
		abort(); /* a refusal gives its reason */
	}
	options_fini(&options);
	text_fini(&text);
	free(bytes);
	config_close(&first);
	return 0;
}
