# m1top.fish: completion in fish; m1top --complete says what can follow

function __m1top_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct | string replace -ra '["\'\\\\]' '')
    set -l program (string replace -r '^~' $HOME $words[1])
    set -l kept (string match -r -- '^--[^=]*=' "$word")
    for line in ($program --complete -- $words[2..] "$word" 2>/dev/null)
        switch $line
            case :list
            case :files
                printf '%s\n' "$kept"(__fish_complete_path (string replace -- "$kept" '' "$word"))
            case :folders
                printf '%s\n' "$kept"(__fish_complete_directories (string replace -- "$kept" '' "$word"))
            case ':command *'
                set -l at (math (string replace ':command ' '' $line) + 2)
                complete -C (string join ' ' -- (string escape -- $words[$at..]) "$word")
            case '*'
                echo $line
        end
    end
end

complete -c m1top -f -a '(__m1top_complete)'
