# shellcheck shell=bash
# m1top.bash: completion in bash, with or without bash-completion; m1top --complete says what can follow

_m1top() { # the program, what bash takes for the word: without what is before = and :
	local line=${COMP_LINE:0:COMP_POINT} word=$2 words=() name _
	local token='^[[:space:]]*(([^[:space:]"'\''\]|\\.?|"([^"\]|\\.)*("|$)|'\''[^'\'']*('\''|$))+)(.*)'
	[[ $word == [=:] ]] && word=
	while [[ $line =~ $token ]]; do
		words+=("${BASH_REMATCH[1]//[\"\'\\]/}") line=${BASH_REMATCH[6]}
	done
	[[ -z $line ]] || words+=('')
	local kept=${words[-1]%"$word"}
	while IFS=$'\t' read -r name _; do
		case $name in
		:files) compopt -o default ;;
		:folders) compopt -o dirnames ;;
		:list) compopt -o nospace ;;
		:command\ *) _m1top_command $((${name#* } + 1)) "$word" ;;
		*) COMPREPLY+=("${name#"$kept"}") ;;
		esac
	done < <("${1/#\~/$HOME}" --complete -- "${words[@]:1}" 2>/dev/null)
}

_m1top_command() { # where it begins among the words of _m1top, the word
	if [[ ${COMP_WORDS[$1]} == "${words[$1]}" ]] && declare -F _command_offset >/dev/null; then
		_command_offset "$1"
	elif [[ $1 == $((${#words[@]} - 1)) ]]; then
		mapfile -t COMPREPLY < <(compgen -c -- "$2")
	else
		compopt -o default
	fi
}

complete -F _m1top m1top
