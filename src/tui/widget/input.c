#include "tui/widget/input.h"

#include <string.h>

#include "tui/term/key.h"

static size_t encode(unsigned code, char *ret)
{
	if (code < 0x80) {
		ret[0] = (char)code;
		return 1;
	}

	size_t n = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

	for (size_t i = n - 1; i > 0; i--, code >>= 6)
		ret[i] = (char)(0x80 | (code & 0x3f));
	ret[0] = (char)((0xf00 >> n & 0xf0) | code);
	return n;
}

static bool input_add(struct input *input, unsigned code)
{
	char bytes[4];
	size_t n = encode(code, bytes);

	if (input->n + n >= sizeof(input->text))
		return false;
	memcpy(input->text + input->n, bytes, n);
	input->n += n;
	input->text[input->n] = '\0';
	return true;
}

static bool rub_out(struct input *input)
{
	if (!input->n)
		return false;
	do {
		input->n--;
	} while (input->n && ((unsigned char)input->text[input->n] & 0xc0) == 0x80);
	input->text[input->n] = '\0';
	return true;
}

bool input_key(struct input *input, int key)
{
	enum { CTRL_H = 8, CTRL_U = 21, DELETE = 127 };

	if (key == KEY_BACKSPACE || key == CTRL_H || key == DELETE)
		return rub_out(input);
	if (key == CTRL_U) {
		*input = (struct input){ 0 };
		return true;
	}
	if (key >= KEYS_WIDE)
		return input_add(input, (unsigned)(key - KEYS_WIDE));
	return key >= 32 && key < DELETE && input_add(input, (unsigned)key);
}
