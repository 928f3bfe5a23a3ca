#include <errno.h>
#include <stdlib.h>
#include <zstd.h>

#include "base/cleanup.h"
#include "session/format/compress.h"

/* Level 3, zstd's default, makes a block of 64 KiB no smaller and takes a third longer. */
enum { LEVEL = 1 };

const char compressor_suffix[] = ".zst";

/* Both structs are zstd's own. */

int compressor_new(const char *path, struct compressor **ret, struct err *err)
{
	struct compressor *made = (struct compressor *)ZSTD_createCCtx();

	if (!made)
		return err_set(err, ENOMEM, "%s: out of memory", path);
	*ret = made;
	return 0;
}

void compressor_free(struct compressor *compressor)
{
	ZSTD_freeCCtx((ZSTD_CCtx *)compressor);
}

int compressor_add_block(struct compressor *compressor, const char *bytes, size_t n,
			 struct text *ret)
{
	size_t most = ZSTD_compressBound(n);
	AUTO_FREE char *block = malloc(most);

	if (!block)
		return -ENOMEM;
	n = ZSTD_compressCCtx((ZSTD_CCtx *)compressor, block, most, bytes, n, LEVEL);
	if (ZSTD_isError(n))
		return -ENOMEM;
	text_add(ret, block, n);
	return ret->failed ? -ENOMEM : 0;
}

int decompressor_new(const char *path, struct decompressor **ret, struct err *err)
{
	struct decompressor *made = (struct decompressor *)ZSTD_createDStream();

	if (!made)
		return err_set(err, ENOMEM, "%s: out of memory", path);
	*ret = made;
	return 0;
}

void decompressor_free(struct decompressor *decompressor)
{
	ZSTD_freeDStream((ZSTD_DStream *)decompressor);
}

void decompressor_restart(struct decompressor *decompressor)
{
	ZSTD_initDStream((ZSTD_DStream *)decompressor);
}

int decompressor_run(struct decompressor *decompressor, struct compressed *from,
		     struct decompressed *to, const char **ret_why)
{
	ZSTD_inBuffer in = { from->bytes, from->n, from->at };
	ZSTD_outBuffer out = { to->bytes, to->cap, to->n };
	size_t rc = ZSTD_decompressStream((ZSTD_DStream *)decompressor, &out, &in);

	if (ZSTD_isError(rc)) {
		*ret_why = ZSTD_getErrorName(rc);
		return -EINVAL;
	}
	from->at = in.pos;
	to->n = out.pos;
	return rc != 0;
}
