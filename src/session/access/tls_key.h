/* tls_key.h: is a private key fit to be used? */
#ifndef SESSION_ACCESS_TLS_KEY_H
#define SESSION_ACCESS_TLS_KEY_H

#include "base/err.h"

/**
 * Refuses a file that users other than owner and group may read or write, what is no private key in
 * PEM without a password, and keys that can be broken: RSA below 2048 bits and the like.
 *
 * @path  of the file, for its rights and for messages
 * @pem   what is in it
 * @return 0 or -EINVAL
 */
int tls_key_check(const char *path, const char *pem, struct err *err);

#endif
