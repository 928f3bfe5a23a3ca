/* credentials.h: user and password out of an Authorization header */
#ifndef SESSION_ACCESS_CREDENTIALS_H
#define SESSION_ACCESS_CREDENTIALS_H

#include <stddef.h>

struct credentials {
	char *user, *password;
	size_t size; /* of both, behind `user` */
};

/**
 * "Basic dXNlcjpwYXNzd29yZA==", the scheme in any case (RFC 7617, RFC 9110 11.1).
 *
 * @header  NULL: there is none
 * @return  0; -EINVAL: it is not that, or has a NUL, which no password that was hashed has; -ENOMEM
 */
int credentials_parse(const char *header, struct credentials *ret);

/** Release, and wipe. */
void credentials_fini(struct credentials *credentials);

#endif
