/* bcrypt.h: can a text be the bcrypt hash of a password? */
#ifndef SESSION_ACCESS_BCRYPT_H
#define SESSION_ACCESS_BCRYPT_H

#include <stdbool.h>

/** "$2y$10$", 22 characters of salt and 31 of what crypt() makes of it. */
bool bcrypt_has_form(const char *hash);

/** Does this machine's crypt() make such a hash? @hash  that has the form */
bool bcrypt_is_possible(const char *hash);

#endif
