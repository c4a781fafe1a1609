# The scripts of deploy and tools source this file. It installs what a build needs and is missing.
# A second start finds everything in place and needs neither a network nor privileges.

cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." || exit 1

say() { printf 'bellwire: %s\n' "$*" >&2; }

fail() {
    printf 'bellwire: error: %s\n' "$1" >&2
    [ -n "${2:-}" ] && printf 'bellwire: hint: %s\n' "$2" >&2
    exit 1
}

# The toolchain brings its own compilers, but takes linker, headers and some libraries from the system.
BUILD_PACKAGES=(
    binutils git libc6-dev libncurses6 libsqlite3-0 libstdc++-12-dev libxml2 pkg-config
    libcurl4-openssl-dev libnats-dev libnghttp2-dev libsqlite3-dev libssl-dev libsystemd-dev
)

# With other options everything would be compiled again. Programs find no library beside themselves, offer their symbols
# to none, and have no number that differs from build to build.
BUILD_OPTIONS=(
    -c release --static-swift-stdlib --disable-local-rpath
    -Xlinker --no-export-dynamic -Xlinker --build-id=none -Xswiftc -L.build/static
)

# build_programs NAME...: builds programs that run without Swift, a little faster. What they need of libstdc++ is linked
# into them: it is a fraction, and the linker takes the archive where it finds no shared library first.
build_programs() {
    local name archive
    archive=$(clang -print-file-name=libstdc++.a 2> /dev/null) || archive=
    if [ -f "$archive" ]; then
        mkdir -p .build/static
        ln -sf "$archive" .build/static
    fi
    for name in "$@"; do
        run_build swift build "${BUILD_OPTIONS[@]}" --product "$name" || return
    done
}

# timed NAME COMMAND...: runs a build. Says before how long it may take, by what builds of this name took here.
timed() {
    local file=.build/seconds-$1 start=$SECONDS took longest=0
    shift
    say "building ($(expected "$file"))"
    "$@" || return
    took=$((SECONDS - start))
    if is_known "$file"; then longest=${known[1]}; fi
    [ "$took" -le "$longest" ] || longest=$took
    # A time that cannot be kept is no failure of the build.
    { printf '%s %s\n' "$took" "$longest" > "$file"; } 2> /dev/null || true
}

# expected FILE: how long a build may take.
expected() {
    if ! is_known "$1"; then
        echo "the first time takes about five minutes on two cores"
    elif [ "${known[0]}" = "${known[1]}" ]; then
        echo "the last build took ${known[0]} s"
    else
        echo "the last build took ${known[0]} s, the longest ${known[1]} s"
    fi
}

# is_known FILE: sets known to the seconds of the last build and of the longest. Fails if there are none.
is_known() {
    known=()
    { read -r -a known < "$1"; } 2> /dev/null || return
    [[ ${#known[@]} = 2 && ${known[0]}${known[1]} =~ ^[0-9]{2,10}$ ]]
}

program_folder() { swift build "${BUILD_OPTIONS[@]}" --show-bin-path; }

# run_build COMMAND...: runs a build in a session of its own. The compilers of a build have process groups of their own,
# but stay in its session, so that an end in the middle leaves none of them running.
run_build() {
    local build result=0 signal
    for signal in HUP INT TERM; do trap "end_build $signal" "$signal"; done
    setsid "$@" >&2 < /dev/null &
    build=$!
    wait "$build" || result=$?
    trap - HUP INT TERM
    return "$result"
}

end_build() {
    trap '' HUP INT TERM
    local tries
    # SwiftPM ends its compilers by itself when it is told to end. What is left after two seconds is killed.
    session_members "$build" | xargs -r kill -TERM 2> /dev/null || true
    for ((tries = 0; tries < 20; tries++)); do
        [ -n "$(session_members "$build")" ] || break
        sleep 0.1
    done
    session_members "$build" | xargs -r kill -KILL 2> /dev/null || true
    trap - "$1"
    kill -s "$1" "$BASHPID"
}

# session_members ID: the processes of a session. Zombies do not count.
session_members() {
    local file line fields
    for file in /proc/[0-9]*/stat; do
        { read -r line < "$file"; } 2> /dev/null || continue
        # The name in brackets may contain anything.
        read -r -a fields <<< "${line##*) }"
        [ "${fields[3]}" = "$1" ] && [ "${fields[0]}" != Z ] || continue
        file=${file%/stat}
        echo "${file##*/}"
    done
}

# check_home: without HOME the build would keep its files elsewhere, and compile everything again.
check_home() {
    if [ -z "${HOME:-}" ]; then
        HOME=$(getent passwd "$(id -u)" | cut -d : -f 6) || true
        [ -n "$HOME" ] \
            || fail "HOME is not set, and user $(id -u) has no home folder" "run: HOME=/path/to/a/folder deploy/run"
        export HOME
        say "HOME is not set; using $HOME"
    fi
}

# check_state: a folder for keys and messages can be made. It takes a minute to build, and this takes none.
check_state() {
    local folder=${XDG_STATE_HOME:-}
    [ -z "${BELLWIRE_STATE:-}${STATE_DIRECTORY:-}" ] || return 0
    [ "${folder#/}" != "$folder" ] || folder=$HOME/.local/state
    folder=$folder/bellwire
    [ ! -e "$folder" ] || [ -O "$folder" ] \
        || fail "$folder belongs to $(stat -c %U -- "$folder")" \
            "start deploy/run as that user, or name another folder: deploy/run --state FOLDER"
    while [ ! -e "$folder" ]; do folder=$(dirname -- "$folder"); done
    [ -d "$folder" ] && [ -w "$folder" ] \
        || fail "$folder cannot be written, and messages are kept there" \
            "name another folder: deploy/run --state FOLDER"
}

# check_checkout: the build writes into this folder.
check_checkout() {
    local owner folder
    owner=$(stat -c %u -- .)
    # A folder that a container was given often belongs to a user that only its host has.
    if [ "$owner" != "$(id -u)" ] && getent passwd "$owner" > /dev/null; then
        owner=$(stat -c %U -- .)
        fail "$PWD belongs to $owner" "start deploy/run as $owner, without sudo, or in a clone of your own"
    fi
    for folder in . .build Keys; do
        [ ! -e "$folder" ] || [ -w "$folder" ] \
            || fail "$(realpath -- "$folder") cannot be written" "make a clone that belongs to you: git clone $(printf %q "$PWD")"
    done
}

check_swift() {
    command -v swift > /dev/null \
        || fail "there is no swift on the PATH" "install a Swift 6.2 toolchain or newer, then: export PATH=/path/to/usr/bin:\$PATH"
}

# check_version: fails if swift is too old. Returns 1 if it does not start, perhaps for want of a package.
check_version() {
    local version major minor
    version=$(swift --version 2> /dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p') || true
    major=${version%%.*} minor=${version##*.}
    [ -n "$version" ] || return 1
    [ "$major" -gt 6 ] || { [ "$major" -eq 6 ] && [ "$minor" -ge 2 ]; } \
        || fail "swift $version is too old" "install a Swift 6.2 toolchain or newer"
}

is_installed() {
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2> /dev/null)" = installed ]
}

# install_packages NAME...: installs the packages that are missing and names them.
install_packages() {
    local missing=() name
    for name in "$@"; do is_installed "$name" || missing+=("$name"); done
    [ ${#missing[@]} -eq 0 ] && return
    say "installing ${missing[*]}"
    local root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo > /dev/null \
            || fail "these packages are missing: ${missing[*]}" "as root: apt-get install ${missing[*]}"
        sudo env true \
            || fail "sudo refuses to install what is missing: ${missing[*]}" "as root: apt-get install ${missing[*]}"
        root=(sudo)
    fi
    local apt=("${root[@]}" env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get -qq -o Dpkg::Use-Pty=0)
    "${apt[@]}" install --no-install-recommends "${missing[@]}" > /dev/null 2>&1 && return
    "${apt[@]}" update > /dev/null || fail "the list of packages cannot be fetched" "is there a network?"
    "${apt[@]}" install --no-install-recommends "${missing[@]}" > /dev/null \
        || fail "these packages cannot be installed: ${missing[*]}" "is there a network?"
}

# prepare NAME...: looks for Swift, then installs what a build needs, and these packages.
prepare() {
    check_home
    check_checkout
    check_swift
    check_version || true
    if command -v dpkg-query > /dev/null && command -v apt-get > /dev/null; then
        install_packages "${BUILD_PACKAGES[@]}" "$@"
    elif ! command -v pkg-config > /dev/null || ! pkg-config --exists openssl libcurl libnats libnghttp2 libsystemd sqlite3; then
        fail "the build needs packages, and there is no apt to install them" \
            "install git, pkg-config and the development files of OpenSSL 3, libnats, nghttp2, SQLite 3, libsystemd, and libcurl with OpenSSL"
    fi
    check_version || fail "swift does not start" "run: swift --version"
}

# python_libraries FILE...: installs the libraries that these files list, in .venv. If that is a link, it has those of all files,
# and belongs to other checkouts, too.
python_libraries() {
    local file words=()
    [ -L .venv ] && [ -x .venv/bin/python ] && return
    [ -x .venv/bin/python ] || { rm -f .venv && python3 -m venv .venv; } || return
    for file in "$@"; do words+=(-r "$file"); done
    .venv/bin/python -m pip install --quiet --disable-pip-version-check "${words[@]}"
}

has_session_bus() { [ -n "${DBUS_SESSION_BUS_ADDRESS:-}" ] || [ -S "${XDG_RUNTIME_DIR:-/nowhere}/bus" ]; }
