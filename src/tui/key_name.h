/* key_name.h: what keys are called in the configuration and on the screen: "a", "C-x", "F5"; pure */
#ifndef TUI_KEY_NAME_H
#define TUI_KEY_NAME_H

#include <stddef.h>

#include "base/err.h"

/** A key by its name. @return 0; -EINVAL: no such key, or one that the terminal keeps for itself */
int key_parse(const char *name, int *ret, struct err *err);

/** A key's name. @code  as keys_read gives it  @return buf */
const char *key_text(int code, char *buf, size_t size);

/** The code that several codes of one key stand for: Enter has three. */
int key_plain(int code);

#endif
