/* asset_files.S: the page and uplot/ embedded unchanged, so that the installed program is one file. Paths are
 * relative to the project's folder, where make runs the assembler. */
	.section .rodata

.macro asset name, path
	.global	asset_\name
asset_\name:
	.incbin "src/session/report/\path"
	.byte	0
.endm

	asset	uplot_js, "uplot/uPlot.iife.min.js"
	asset	uplot_css, "uplot/uPlot.min.css"
	asset	uplot_license, "uplot/LICENSE"
	asset	page_js, "page.js"
	asset	page_css, "page.css"

	.section .note.GNU-stack, "", %progbits
