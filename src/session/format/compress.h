/* compress.h: compress text with zstd in independent blocks */
#ifndef SESSION_FORMAT_COMPRESS_H
#define SESSION_FORMAT_COMPRESS_H

#include "base/err.h"
#include "base/text.h"

/** End of the names of files that are compressed by default: ".zst"; "" if m1top is built without zstd. */
extern const char compressor_suffix[];

struct compressor;
struct decompressor;

/**
 * Create a compressor. @path  of the file, for the error  @return 0; -ENOMEM; -EINVAL if m1top is built without zstd
 */
int compressor_new(const char *path, struct compressor **ret, struct err *err);

/** Free a compressor. NULL is accepted. */
void compressor_free(struct compressor *compressor);

/** Compress bytes as one block and append it. @return 0 or -ENOMEM */
int compressor_add_block(struct compressor *compressor, const char *bytes, size_t n,
			 struct text *ret);

/** Create a decompressor, as compressor_new. */
int decompressor_new(const char *path, struct decompressor **ret, struct err *err);

/** Free a decompressor. NULL is accepted. */
void decompressor_free(struct decompressor *decompressor);

/** Treat the next bytes as the beginning of a block, whatever came before. */
void decompressor_restart(struct decompressor *decompressor);

/** Compressed bytes: the input begins at `at`. */
struct compressed {
	const char *bytes;
	size_t n, at;
};

/** Buffer of `cap` bytes, the first `n` of which are used. */
struct decompressed {
	char *bytes;
	size_t cap, n;
};

/**
 * Decompress bytes until the buffer is full.
 *
 * @ret_why  error in the data
 * @return   1 within a block; 0 at the end of one; -EINVAL
 */
int decompressor_run(struct decompressor *decompressor, struct compressed *from,
		     struct decompressed *to, const char **ret_why);

#endif
