# style.awk: what tmux capture-pane -e prints, in one form of the many that mean the same: how many escapes there are,
# and whether they go on in the next line, differs from version to version of tmux.
#
# ESC [ 0 ; STYLE m stands before what has another style than what is before it in its line, which begins and ends plain.
# The style of a blank that cannot be seen is left out, and so are blanks at a line's end.

function take(codes,    n, i, code, part) {
	n = split(codes == "" ? "0" : codes, part, ";")
	for (i = 1; i <= n; i++) {
		code = part[i] + 0
		if (code == 0)
			attributes = fg = bg = ""
		else if (code < 10)
			attributes = attributes ";" code
		else if (code == 38 || code == 48) {
			colour = code ";" part[i + 1] ";" part[i + 2]
			if (part[i + 1] == 2)
				colour = colour ";" part[i + 3] ";" part[i + 4]
			i += part[i + 1] == 2 ? 4 : 2
			if (code == 38)
				fg = ";" colour
			else
				bg = ";" colour
		} else if (code < 40 || (code >= 90 && code < 100))
			fg = code == 39 ? "" : ";" code
		else
			bg = code == 49 ? "" : ";" code
	}
}

function is_seen() { # the style of a blank: underlined, reversed, on another background
	return attributes ~ /[47]/ || bg != ""
}

# The line so far is `line`, in whose end `style` is valid; `blanks` stand behind it.
function add(text,    now) {
	now = attributes fg bg
	if (text == "")
		return
	if (!is_seen()) {
		if (text ~ /^ / && is_marked) {
			line = line "\033[0m"
			style = ""
			is_marked = 0
		}
		if (match(text, /^ +/)) {
			blanks = blanks substr(text, 1, RLENGTH)
			text = substr(text, RLENGTH + 1)
		}
	}
	if (text == "")
		return
	line = line blanks
	blanks = ""
	if (now != style)
		line = line "\033[0" now "m"
	style = now
	is_marked = is_seen()
	if (!is_marked && match(text, / +$/)) {
		blanks = substr(text, RSTART)
		text = substr(text, 1, RSTART - 1)
	}
	line = line text
}

{
	line = blanks = style = ""
	is_marked = 0
	n = split($0, piece, "\033\\[")
	add(piece[1])
	for (k = 2; k <= n; k++) {
		end = index(piece[k], "m")
		take(substr(piece[k], 1, end - 1))
		add(substr(piece[k], end + 1))
	}
	print line (style == "" ? "" : "\033[0m")
}
