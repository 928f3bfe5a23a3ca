#include <errno.h>
#include <stdlib.h>
#include <zstd.h>

#include "session/compress/compress.h"

/* Level 3, zstd's default, makes a block of 64 KiB no smaller and takes a third longer. */
enum { LEVEL = 1 };

const char compressor_suffix[] = ".zst";

struct compressor {
	ZSTD_CCtx *zstd;
};

struct decompressor {
	ZSTD_DStream *zstd;
};

int compressor_new(const char *path, struct compressor **ret, struct err *err)
{
	struct compressor *compressor = calloc(1, sizeof(*compressor));

	if (!compressor || !(compressor->zstd = ZSTD_createCCtx())) {
		free(compressor);
		return err_set(err, ENOMEM, "%s: out of memory", path);
	}
	*ret = compressor;
	return 0;
}

void compressor_free(struct compressor *compressor)
{
	if (!compressor)
		return;
	ZSTD_freeCCtx(compressor->zstd);
	free(compressor);
}

int compressor_add_block(struct compressor *compressor, const char *bytes, size_t n,
			 struct text *ret)
{
	size_t most = ZSTD_compressBound(n);
	char *block = malloc(most);

	if (!block)
		return -ENOMEM;
	n = ZSTD_compressCCtx(compressor->zstd, block, most, bytes, n, LEVEL);

	bool is_good = !ZSTD_isError(n);

	if (is_good)
		text_add(ret, block, n);
	free(block);
	return is_good && !ret->failed ? 0 : -ENOMEM;
}

int decompressor_new(const char *path, struct decompressor **ret, struct err *err)
{
	struct decompressor *decompressor = calloc(1, sizeof(*decompressor));

	if (!decompressor || !(decompressor->zstd = ZSTD_createDStream())) {
		free(decompressor);
		return err_set(err, ENOMEM, "%s: out of memory", path);
	}
	*ret = decompressor;
	return 0;
}

void decompressor_free(struct decompressor *decompressor)
{
	if (!decompressor)
		return;
	ZSTD_freeDStream(decompressor->zstd);
	free(decompressor);
}

void decompressor_restart(struct decompressor *decompressor)
{
	ZSTD_initDStream(decompressor->zstd);
}

int decompressor_run(struct decompressor *decompressor, struct compressed *from,
		     struct decompressed *to, const char **ret_why)
{
	ZSTD_inBuffer in = { from->bytes, from->n, from->at };
	ZSTD_outBuffer out = { to->bytes, to->cap, to->n };
	size_t rc = ZSTD_decompressStream(decompressor->zstd, &out, &in);

	if (ZSTD_isError(rc)) {
		*ret_why = ZSTD_getErrorName(rc);
		return -EINVAL;
	}
	from->at = in.pos;
	to->n = out.pos;
	return rc != 0;
}
