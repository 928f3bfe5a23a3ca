/* compress.h: text compressed with zstd, in blocks that can be read each without those before it */
#ifndef SESSION_COMPRESS_COMPRESS_H
#define SESSION_COMPRESS_COMPRESS_H

#include "base/err.h"
#include "base/text.h"

struct compressor;
struct decompressor;

/** @path  of the file, for the error  @return 0; -ENOMEM; -EINVAL where m1top is built without zstd */
int compressor_new(const char *path, struct compressor **ret, struct err *err);

/** NULL is accepted. */
void compressor_free(struct compressor *compressor);

/** Append these bytes as a block. @return 0 or -ENOMEM */
int compressor_add_block(struct compressor *compressor, const char *bytes, size_t n,
			 struct text *ret);

/** As compressor_new. */
int decompressor_new(const char *path, struct decompressor **ret, struct err *err);

/** NULL is accepted. */
void decompressor_free(struct decompressor *decompressor);

/** The next bytes begin a block, whatever came before. */
void decompressor_restart(struct decompressor *decompressor);

/** Compressed bytes: those from `at` on are still to be taken. */
struct compressed {
	const char *bytes;
	size_t n, at;
};

/** Room for `cap` bytes, the first `n` of which are taken. */
struct decompressed {
	char *bytes;
	size_t cap, n;
};

/**
 * Decompress some of the bytes, as far as there is room.
 *
 * @ret_why  what is wrong with them
 * @return   1 within a block; 0 at the end of one; -EINVAL
 */
int decompressor_run(struct decompressor *decompressor, struct compressed *from,
		     struct decompressed *to, const char **ret_why);

#endif
