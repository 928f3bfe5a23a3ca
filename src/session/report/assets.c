/* assets.c: vendor/ and page/ as they are, so that the installed program is one file. The
 * assembler finds them from the project's folder, where make runs it. */
#include "session/report/assets.h"

#define ASSET(name, path)                                   \
	__asm__(".section .rodata\n"                        \
		".global " #name "\n" #name ":\n"           \
		".incbin \"src/session/report/" path "\"\n" \
		".byte 0\n"                                 \
		".previous\n")

ASSET(asset_uplot_js, "vendor/uplot/uPlot.iife.min.js");
ASSET(asset_uplot_css, "vendor/uplot/uPlot.min.css");
ASSET(asset_uplot_license, "vendor/uplot/LICENSE");
ASSET(asset_page_js, "page/page.js");
ASSET(asset_page_css, "page/page.css");
