# zsh -f offers.zsh FOLDER LINE WORD
#
# Types LINE and the tab key into a shell that has the completions in FOLDER, and looks whether WORD is offered.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1='>'; fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D"
zpty -w shell "bindkey '^I' complete-word; setopt AUTO_LIST; print ready"
zpty -r -m shell text '*ready*'
zpty -w -n shell "$2"$'\t\t'
repeat 50; do
    sleep 0.1
    while zpty -r -t shell piece 2> /dev/null; do text+=$piece; done
    [[ $text == *$3* ]] && exit 0
done
exit 1
