/* asset_files.S: vendor/ and page/ embedded unchanged, so that the installed program is one file. Paths are
 * relative to the project's folder, where make runs the assembler. */
	.section .rodata

.macro asset name, path
	.global	asset_\name
asset_\name:
	.incbin "src/session/report/\path"
	.byte	0
.endm

	asset	uplot_js, "vendor/uplot/uPlot.iife.min.js"
	asset	uplot_css, "vendor/uplot/uPlot.min.css"
	asset	uplot_license, "vendor/uplot/LICENSE"
	asset	page_js, "page/page.js"
	asset	page_css, "page/page.css"

	.section .note.GNU-stack, "", %progbits
