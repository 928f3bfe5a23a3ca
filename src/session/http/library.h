/* library.h: the functions of libmicrohttpd and GnuTLS that serve uses; http_load loads them */
#ifndef SESSION_HTTP_LIBRARY_H
#define SESSION_HTTP_LIBRARY_H

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <microhttpd.h>

#define LIBRARY_MICROHTTPD(X)              \
	X(MHD_add_response_header)         \
	X(MHD_create_response_from_buffer) \
	X(MHD_destroy_response)            \
	X(MHD_get_connection_info)         \
	X(MHD_get_daemon_info)             \
	X(MHD_get_timeout)                 \
	X(MHD_is_feature_supported)        \
	X(MHD_lookup_connection_value)     \
	X(MHD_queue_response)              \
	X(MHD_resume_connection)           \
	X(MHD_run)                         \
	X(MHD_start_daemon)                \
	X(MHD_stop_daemon)                 \
	X(MHD_suspend_connection)

#define LIBRARY_GNUTLS(X)                        \
	X(gnutls_base64_decode2)                 \
	X(gnutls_pk_algorithm_get_name)          \
	X(gnutls_pk_bits_to_sec_param)           \
	X(gnutls_strerror)                       \
	X(gnutls_x509_privkey_deinit)            \
	X(gnutls_x509_privkey_get_pk_algorithm2) \
	X(gnutls_x509_privkey_import2)           \
	X(gnutls_x509_privkey_init)

#define LIBRARY_POINTER(name) __typeof__(name) *name;

/** Their addresses; NULL before http_load. */
extern struct library {
	LIBRARY_MICROHTTPD(LIBRARY_POINTER)
	LIBRARY_GNUTLS(LIBRARY_POINTER)
} library;

#endif
