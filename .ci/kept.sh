# What is downloaded is kept for the next run, by the hash of what asked for it. Sourced in the folder of the checkout.

# Other users run some of it, and nobody else can enter root's home.
if [ "$(id -u)" = 0 ]; then cache=/var/cache; else cache=${XDG_CACHE_HOME:-$HOME/.cache}; fi
cache=${BELLWIRE_CI_CACHE-$cache/bellwire-ci}
# Without a cache it goes with the checkout.
cache=$(realpath -m "${cache:-.build-cache}")
unused_days=14

# kept NAME KEY MAKE…: prints the folder that is kept for this key. If there is none, MAKE… FOLDER makes it, and COLD names a
# file that then exists.
kept() {
    local folder
    folder=$cache/$1-$(printf '%s' "$2" | sha256sum | cut -c 1-16)
    mkdir -p "$cache"
    (
        # Another run may be making it.
        flock 8
        if [ ! -e "$folder.whole" ]; then
            touch "${COLD:-/dev/null}"
            forget_others "$1"
            "${@:3}" "$folder" >&2 8>&- || exit
        fi
        touch "$folder.whole"
    ) 8> "$cache/$1.lock" || return
    echo "$folder"
}

# forget_others NAME: removes what is not whole, and what was not used for long.
forget_others() {
    find "$cache" -maxdepth 1 -name "$1-*.whole" -mtime "+$unused_days" -delete
    local folder
    for folder in "$cache/$1"-????????????????; do
        [ -e "$folder.whole" ] || rm -rf --one-file-system "$folder"
    done
}
