# The scripts of deploy and tools source this file. It installs what a build needs and is missing.
# A second start finds everything in place and needs neither a network nor privileges.

cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1

say() { printf 'bellwire: %s\n' "$*" >&2; }

fail() {
    printf 'bellwire: error: %s\n' "$1" >&2
    [ -n "${2:-}" ] && printf 'bellwire: hint: %s\n' "$2" >&2
    exit 1
}

# The toolchain brings its own compilers, but takes linker, headers and some libraries from the system.
BUILD_PACKAGES=(
    binutils git libc6-dev libncurses6 libsqlite3-0 libstdc++-12-dev libxml2 pkg-config
    libcurl4-openssl-dev libnghttp2-dev libsqlite3-dev libssl-dev libsystemd-dev
)

# build_programs NAME...: builds programs that run without Swift, a little faster, and look for no library beside
# themselves. With other options everything would be compiled again.
build_programs() {
    local name
    for name in "$@"; do
        swift build -c release --static-swift-stdlib --disable-local-rpath --product "$name" >&2 || return
    done
}

check_swift() {
    command -v swift > /dev/null \
        || fail "there is no swift on the PATH" "install a Swift 6.2 toolchain or newer, then: export PATH=/path/to/usr/bin:\$PATH"
    local version major minor
    version=$(swift --version 2> /dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p') || true
    major=${version%%.*} minor=${version##*.}
    [ -n "$version" ] || fail "swift does not start" "run: swift --version"
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
        root=(sudo)
    fi
    local apt=("${root[@]}" env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get -qq -o Dpkg::Use-Pty=0)
    "${apt[@]}" install --no-install-recommends "${missing[@]}" > /dev/null 2>&1 && return
    "${apt[@]}" update > /dev/null || fail "the list of packages cannot be fetched" "is there a network?"
    "${apt[@]}" install --no-install-recommends "${missing[@]}" > /dev/null \
        || fail "these packages cannot be installed: ${missing[*]}" "is there a network?"
}

# prepare NAME...: installs what a build needs, and these packages.
prepare() {
    if command -v dpkg-query > /dev/null && command -v apt-get > /dev/null; then
        install_packages "${BUILD_PACKAGES[@]}" "$@"
    elif ! command -v pkg-config > /dev/null || ! pkg-config --exists openssl libcurl libnghttp2 libsystemd sqlite3; then
        fail "the build needs packages, and there is no apt to install them" \
            "install git, pkg-config and the development files of OpenSSL 3, nghttp2, SQLite 3, libsystemd, and libcurl with OpenSSL"
    fi
    check_swift
}
