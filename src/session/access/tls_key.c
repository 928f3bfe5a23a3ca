#include "session/access/tls_key.h"

#include <errno.h>
#include <gnutls/x509.h>
#include <string.h>
#include <sys/stat.h>

/* What OpenSSL asks for in Debian, and NIST in SP 800-57: RSA of 2048 bits, elliptic curves of 224. */
#define WEAKEST GNUTLS_SEC_PARAM_MEDIUM

static int check_rights(const char *path, struct err *err)
{
	struct stat st;

	if (stat(path, &st))
		return err_set(err, errno, "%s: %s", path, strerror(errno));
	if (st.st_mode & S_IRWXO)
		return err_set(err, EINVAL,
			       "%s: this key is open to every user of this machine: chmod o= %s",
			       path, path);
	return 0;
}

static int check_strength(const char *path, gnutls_x509_privkey_t key, struct err *err)
{
	unsigned bits = 0;
	int algorithm = gnutls_x509_privkey_get_pk_algorithm2(key, &bits);

	if (gnutls_pk_bits_to_sec_param((gnutls_pk_algorithm_t)algorithm, bits) >= WEAKEST)
		return 0;
	return err_set(err, EINVAL,
		       "%s: a key of %s with %u bits can be broken: RSA needs 2048, elliptic "
		       "curves 256",
		       path, gnutls_pk_algorithm_get_name((gnutls_pk_algorithm_t)algorithm), bits);
}

int tls_key_check(const char *path, const char *pem, struct err *err)
{
	const gnutls_datum_t text = { (unsigned char *)pem, (unsigned)strlen(pem) };
	gnutls_x509_privkey_t key;
	int rc = check_rights(path, err);

	if (rc)
		return rc;
	if (gnutls_x509_privkey_init(&key))
		return err_set(err, ENOMEM, "out of memory");
	rc = gnutls_x509_privkey_import2(key, &text, GNUTLS_X509_FMT_PEM, NULL, 0);
	if (rc)
		rc = err_set(err, EINVAL, "%s: not a private key: %s", path, gnutls_strerror(rc));
	else
		rc = check_strength(path, key, err);
	gnutls_x509_privkey_deinit(key);
	return rc;
}
