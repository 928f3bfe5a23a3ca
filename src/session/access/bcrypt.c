#include "session/access/bcrypt.h"

#include <crypt.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

enum { HASH_LENGTH = 60, SETTING_LENGTH = 29 };

/* Six bits a character: of the last one only the upper four count, and the rest is 0. */
bool bcrypt_has_form(const char *hash)
{
	static const char digits[] =
		"./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

	return strlen(hash) == HASH_LENGTH && strncmp(hash, "$2", 2) == 0 &&
	       strchr("aby", hash[2]) && hash[3] == '$' && isdigit((unsigned char)hash[4]) &&
	       isdigit((unsigned char)hash[5]) && hash[6] == '$' &&
	       strspn(hash + 7, digits) == HASH_LENGTH - 7 &&
	       (strchr(digits, hash[HASH_LENGTH - 1]) - digits) % 4 == 0;
}

/* Salts have spare bits, too, and a kind may be missing. At the lowest cost: the salt does not depend
 * on it. */
bool bcrypt_is_possible(const char *hash)
{
	AUTO_FREE struct crypt_data *crypt = calloc(1, sizeof(*crypt));
	char setting[HASH_LENGTH + 1];
	const char *made;

	snprintf(setting, sizeof(setting), "%.4s04%s", hash, hash + 6);
	made = crypt ? crypt_r("", setting, crypt) : NULL;
	return made && strncmp(made, setting, SETTING_LENGTH) == 0;
}
