/* err.h: the text of a failure, made where most is known, printed only by src/cmd and src/tui */
#ifndef BASE_ERR_H
#define BASE_ERR_H

struct err {
	char text[1024];
};

/**
 * Store a message and hand back the negative errno, so that `return err_set(err, EINVAL, …)` reads.
 *
 * @err     NULL: the message is dropped
 * @code    positive errno
 * @return  -code
 */
int err_set(struct err *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#ifdef __clang_analyzer__ /* which cannot see from here that the result is never 0 */
#define err_set(err, code, ...) ((void)(err_set)((err), (code), __VA_ARGS__), -(code))
#endif

/**
 * Put a place or a subject before the text that is there: "FILE: " + text.
 *
 * @return  -code, as err_set
 */
int err_prefix(struct err *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
