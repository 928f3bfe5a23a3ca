/* assets.h: the files that a page carries with it, built into the program; private to session/ */
#ifndef SESSION_REPORT_ASSETS_H
#define SESSION_REPORT_ASSETS_H

/** The plotting library and its licence; each ends with a NUL, as below. */
extern const char asset_uplot_js[], asset_uplot_css[], asset_uplot_license[];

/** The page's own script and style. */
extern const char asset_page_js[], asset_page_css[];

#endif
