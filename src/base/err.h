/* err.h: the message of an error, made where most is known, printed only by src/cmd and src/tui */
#ifndef BASE_ERR_H
#define BASE_ERR_H

struct err {
	char text[1024];
};

/**
 * Store a message and return the negative errno, for `return err_set(err, EINVAL, …)`.
 *
 * @err     NULL: the message is dropped
 * @code    positive errno
 * @return  -code
 */
int err_set(struct err *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#ifdef __clang_analyzer__ /* it cannot see from here that the result is never 0 */
#define err_set(err, code, ...) ((void)(err_set)((err), (code), __VA_ARGS__), -(code))
#endif

/**
 * Prepend a place or a subject to the message: "FILE: " + text.
 *
 * @return  -code, as err_set
 */
int err_prefix(struct err *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
