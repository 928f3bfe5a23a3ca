#include "session/access/credentials.h"

#include <errno.h>
#include <gnutls/gnutls.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define SCHEME "Basic "

/* "user:password" of n bytes: the first colon ends the user. @return 0 or -errno */
static int split(const char *text, size_t n, struct credentials *ret)
{
	char *copy, *colon;

	if (memchr(text, '\0', n) || !memchr(text, ':', n))
		return -EINVAL;
	copy = strndup(text, n);
	if (!copy)
		return -ENOMEM;
	colon = strchr(copy, ':');
	*colon = '\0';
	*ret = (struct credentials){ .user = copy, .password = colon + 1, .size = n };
	return 0;
}

int credentials_parse(const char *header, struct credentials *ret)
{
	gnutls_datum_t coded, plain;
	int rc;

	if (!header || strncasecmp(header, SCHEME, strlen(SCHEME)) != 0)
		return -EINVAL;
	header += strlen(SCHEME);
	header += strspn(header, " ");
	coded = (gnutls_datum_t){ (unsigned char *)header, (unsigned)strlen(header) };
	if (gnutls_base64_decode2(&coded, &plain))
		return -EINVAL;
	rc = split((const char *)plain.data, plain.size, ret);
	explicit_bzero(plain.data, plain.size);
	gnutls_free(plain.data);
	return rc;
}

void credentials_fini(struct credentials *credentials)
{
	if (credentials->user)
		explicit_bzero(credentials->user, credentials->size);
	free(credentials->user);
	*credentials = (struct credentials){ 0 };
}
