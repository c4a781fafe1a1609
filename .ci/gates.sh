# What each gate does. `.ci/run` sources this file; it has the order. The comment "NAME <NEEDED…: what" names the gates that
# one needs, and is what `.ci/run --list` prints.

release=$PWD/.build/release
export BELLWIRE_NATS_SERVER=$PWD/.venv/bin/nats-server
source .ci/kept.sh

# The tests, under the address sanitizer: one run finds what fails, what reads beyond its memory, what leaks, and what is
# undefined behaviour in our C. What a sanitizer finds is told by line; more debug information takes longer.
undefined=(-Xcc -fsanitize=undefined -Xcc -fno-sanitize-recover=undefined)
lines=(--disable-xctest -Xswiftc -gline-tables-only)
address=("${lines[@]}" --sanitize address --scratch-path .build-test "${undefined[@]}")
thread=("${lines[@]}" --sanitize thread --scratch-path .build-thread)

# Programs that run here only as their packages have them.
proxies=(apache2-bin caddy haproxy)
containers=(buildah caddy conmon podman runc)
monitors=(prometheus)
pushers=(prosody prosody-modules)
ciphers=(gnutls-bin erlang-ssl libwolfssl-dev)
# The libraries are those that Qt of PyPI leaves to the system.
notifiers=(apprise netdata-plugins-bash prometheus-alertmanager libegl1 libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1
    libxcb-shape0 libxcb-xkb1 libxkbcommon-x11-0)

# build_tests SANITIZER OPTION…: the sanitizer tells Package.swift to leave out programs that no test starts, and for
# threads the tests of modules that have one thread: there nothing can be found that the other gates do not find.
build_tests() {
    BELLWIRE_SANITIZER=$1 swift build --build-tests "${@:2}" 2>&1 | { grep -vE '^\[[0-9]+/[0-9]+\] ' || true; }
    return "${PIPESTATUS[0]}"
}

# behind COMMAND…: takes no more of the processors than the gates beside it leave. A lower priority would not do: SwiftPM
# gives its compilers the usual one again.
behind() { (chrt --idle --pid 0 "$BASHPID" && "$@"); }

# twice COMMAND…: how long something takes depends on what else the machine does. So a bound that is missed once is
# measured once more.
twice() {
    "$@" && return
    echo "$gate: once more"
    "$@" && echo "$gate" >> "$logs/second"
}

# each COMMAND…: a part of a gate. If it fails, the gate says how to run only that.
each() { "$@" || { printf 'only this:'; printf ' %q' "${@//"$PWD/"/}"; echo; return 1; }; }

# install: the packages that the gates need
gate_install() {
    mkdir -p "$cache"
    (
        # Another run may be installing.
        flock 8
        source deploy/lib/prepare.sh
        # It says so when something is missing.
        say() { touch "$COLD"; printf 'bellwire: %s\n' "$*"; }
        prepare
        install_packages appstream bubblewrap ca-certificates chromium chromium-driver curl dbus debhelper \
            desktop-file-utils dpkg-dev dunst faketime firefox-esr fish fonts-dejavu-core gcc golang-go \
            imagemagick iproute2 libc6-dev libnotify-bin libnss3-tools lintian lxqt-notificationd man-db mandoc \
            mate-notification-daemon mmdebstrap nghttp2-client nginx-light nodejs notification-daemon \
            openjdk-17-jdk-headless openssl pkg-config \
            python3-dbusmock python3-gi python3-venv slowhttptest systemd testssl.sh tmux tzdata uidmap valgrind xdg-dbus-proxy \
            xclip xdotool xfce4-notifyd xsel xvfb zbar-tools zsh
        .ci/lent "${proxies[@]}" -- true && .ci/lent "${containers[@]}" -- true \
            && .ci/lent "${monitors[@]}" -- true && .ci/lent "${pushers[@]}" -- true \
            && .ci/lent "${notifiers[@]}" -- true && .ci/lent "${ciphers[@]}" -- true
    ) 8> "$cache/install.lock"
}

# libraries <install: the Python libraries that the gates need
gate_libraries() {
    local files folder
    mapfile -t files < <(git ls-files '*requirements*.txt' '*sdists.txt')
    files=("${files[@]/#/$PWD/}")
    folder=$(kept python "$(python3 -VV; declare -f make_python; cat Tests/Peers/Suites/sdists.py "${files[@]}")" make_python) \
        || return
    link .venv "$folder"
    # A homeserver brings so much with it that it has a place of its own.
    folder=$(kept synapse "$(python3 -VV; declare -f make_synapse; cat Tests/Peers/Synapse/requirements.txt)" make_synapse) || return
    link .venv-synapse "$folder"
    # So have programs that notify, because they want other versions of libraries.
    folder=$(kept topics "$(python3 -VV; declare -f make_topics; cat Tests/Peers/Topics/requirements*.txt)" make_topics) || return
    link .venv-topics "$folder"
    echo "libraries: $(.venv/bin/python -m pip list --quiet --disable-pip-version-check | wc -l) packages"
}

make_python() {
    local file words=()
    for file in "${files[@]}"; do
        case $file in
            # Only axe itself, and not the browsers that its package would bring.
            */Pages/requirements.txt | */Synapse/requirements.txt | */Topics/requirements* | *sdists.txt) ;;
            *) words+=(-r "$file") ;;
        esac
    done
    python3 -m venv "$1" \
        && "$1/bin/python" -m pip install --quiet --disable-pip-version-check "${words[@]}" \
        && "$1/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps -r Tests/Peers/Pages/requirements.txt \
        && "$1/bin/python" Tests/Peers/Suites/sdists.py
}

make_synapse() {
    python3 -m venv "$1" \
        && "$1/bin/python" -m pip install --quiet --disable-pip-version-check -r Tests/Peers/Synapse/requirements.txt
}

make_topics() {
    local install=(-m pip install --quiet --disable-pip-version-check --no-deps --ignore-requires-python)
    python3 -m venv "$1" \
        && "$1/bin/python" "${install[@]}" -r Tests/Peers/Topics/requirements.txt \
        && "$1/bin/python" "${install[@]}" --target "$1/mailrise" -r Tests/Peers/Topics/requirements-mailrise.txt
}

link() { [ -L "$1" ] || rm -rf "$1"; ln -sfn "$2" "$1"; }

# imports: modules import only those below them
gate_imports() { .ci/imports; }

# circles: neither modules nor their folders need each other in a circle
gate_circles() { .ci/circles; }

# walk: the steps in docs/architecture.md are functions that exist, and the names there and in docs/design.md are in the code
gate_walk() { .ci/walk; }

# forbidden: constructs that do not belong in the product
gate_forbidden() { .ci/forbidden; }

# links: each link and path in the documents leads somewhere
gate_links() { .ci/links; }

# spelling <libraries: codespell finds nothing but the words of .ci/words; it takes German for misspelled English
gate_spelling() {
    local files=(':!Tests/Vectors' ':!Tests/Programs/Fuzz/Seeds' ':!*.png' ':!docs/report/flame-*.svg' ':!Sources/Base/Sentences')
    git ls-files -z "${files[@]}" | xargs -0 .venv/bin/codespell --ignore-words .ci/words \
        && echo "spelling: $(git ls-files "${files[@]}" | wc -l) files checked"
}

# commands <release: each command and option that a document names exists
gate_commands() { .ci/commands "$release/bellwire"; }

# starts: deploy/run as people start it, with their mistakes
gate_starts() { .ci/starts; }

# python <libraries: ruff finds nothing in the Python files, they are formatted, and docs/report is that of its figures
gate_python() { .venv/bin/ruff check && .venv/bin/ruff format --check && tools/report --check; }

# format: the Swift files are formatted
gate_format() {
    local count
    count=$(git ls-files '*.swift' | wc -l)
    [ "$count" -gt 0 ] && git ls-files -z '*.swift' | xargs -0 swift format lint --strict \
        && echo "format: $count files checked"
}

# bare-root <install: makes a Debian that has nothing but what it starts with
gate_bare_root() {
    local folder
    # A week later it would have other packages.
    folder=$(kept debian "$(cat .ci/bare /etc/apt/sources.list /etc/apt/sources.list.d/* 2> /dev/null; date -u +%G-%V)" .ci/bare make) \
        && ln -sfn "$folder" "$logs/bare-debian"
}

# bare <release tests-build bare-root libraries: README's two commands on that Debian, all tests under the address sanitizer, and from there to the first notification
gate_bare() { fresh tried && .ci/bare try "$logs/tried" "${address[@]}"; }

# fresh NAME: a bare Debian of this name, because others need theirs as it is.
fresh() {
    rm -rf --one-file-system "${logs:?}/$1"
    cp -a "$logs/bare-debian/." "$logs/$1"
}

# bare-user <bare-root: the same commands there as a user with sudo, in a path with a blank, without network and without .git
gate_bare_user() { fresh used && .ci/bare user "$logs/used"; }

# packages <release bare-root: the Debian packages, from their bytes to a walk through a fresh Debian
gate_packages() { .ci/packages "$release/bellwire" "$logs/bare-debian"; }

# threads-build <install: tests with the thread sanitizer, of the modules with threads that the change touches
gate_threads_build() {
    local modules
    modules=$(.ci/touched --threads) || return
    [ -n "$modules" ] || { echo "threads-build: no module with threads is touched"; return; }
    echo "threads-build: $modules"
    BELLWIRE_TESTS=$modules behind build_tests thread "${thread[@]}"
}

# threads <threads-build libraries: tests of these modules under the thread sanitizer, but for what takes long and has one thread
gate_threads() {
    local modules
    modules=$(.ci/touched --threads) || return
    [ -n "$modules" ] || { echo "threads: no module with threads is touched"; return; }
    run_threads
}

run_threads() {
    # Those of whole modules are not in the build. The rest is what takes long: values, and commands that ask nobody.
    local values='(DesktopTests\.(RandomScreen|ReusedNumber|SettingsFile)|SystemTests\.(TimerQueue|Log))Tests/'
    local parsers='HTTPTests\.(HTTP1Cut|HTTP2Cut|WebSocketDecoder)Tests/'
    local commands='EndToEnd\.((Backup|Decrypt|Keys|Restore)Command|Manual|ReceiverID|Replay)Tests/'
    # Tests that store less have the same threads.
    local limits='(APITests\.EngineGrowthTests/titles|PushServiceTests\.MatrixLoadTests/largeHomeserver)\('
    local stores='MailboxTests\.(CallbackStoreTests/fullBySize|ExportTests/large|RegistrationCallbackTests/pushes)\('
    .ci/tests .build-thread/debug --skip "^($values|$parsers|$commands|$limits|$stores)"
}

# followed <tests-build libraries: the tests of the store again, each beside a second store that follows it by a log and must be alike
gate_followed() { BELLWIRE_FOLLOWED_STORES=1 behind .ci/tests .build-test/debug --filter '^MailboxTests\.'; }

# release <install: builds the programs that the gates after it start, without the mistakes that are planted for tests
gate_release() {
    (
        source deploy/lib/prepare.sh
        build_programs bellwire ServerProbe CallbackProbe WebSocketProbe ParserProbe PresenterProbe
    ) && .ci/planted "$release/bellwire"
}

# tests-build <install: everything builds, tests included, without a warning
gate_tests_build() { behind build_tests address "${address[@]}"; }

# modules <install libraries: builds and runs only the tests of the modules that the change touches; no part of a whole run
gate_modules() {
    local modules
    modules=$(.ci/touched --modules) || return
    [ -n "$modules" ] || { echo "modules: no module is touched"; return; }
    echo "modules: $modules"
    BELLWIRE_TESTS=$modules build_tests address "${address[@]}" \
        && .ci/tests .build-test/debug
}

# units <release: systemd accepts the units, and the desktop files are valid
gate_units() { .ci/units "$release/bellwire"; }

# webpush <release libraries: libraries of other people that push and are pushed to
gate_webpush() {
    local program
    for program in check push story forwards; do
        each .venv/bin/python Tests/Peers/WebPush/$program.py "$release/bellwire" || return
    done
}

# proxies <release libraries: nginx, Caddy, Apache and HAProxy in front, and certificates where other programs put them
gate_proxies() {
    each .ci/lent "${proxies[@]}" -- tools/lib/alone .venv/bin/python Tests/Peers/Proxies/check.py "$release/bellwire" \
        && each tools/lib/alone .venv/bin/python Tests/Peers/Proxies/certificates.py "$release/bellwire"
}

# container <release libraries: the image, built and run, alone and with Caddy in front
gate_container() {
    .ci/lent "${containers[@]}" -- tools/lib/alone unshare --mount --propagation private \
        .venv/bin/python Tests/Peers/Container/check.py "$release/bellwire"
}

# monitoring <release libraries: Prometheus reads the metrics, the alerts and the questions of the dashboard
gate_monitoring() {
    .ci/lent "${monitors[@]}" -- tools/lib/alone \
        .venv/bin/python Tests/Peers/Monitoring/check.py "$release/bellwire"
}

# nats <libraries: the servers of deploy/cluster give a node what it needs and nothing more, and go on without one of them
gate_nats() { tools/lib/alone .venv/bin/python Tests/Peers/Nats/check.py; }

# cluster-keys <release libraries: a cluster gets another master key while it is pushed to, and no push fails
gate_cluster_keys() { tools/lib/alone .venv/bin/python Tests/Torture/Cluster/keys.py "$release/bellwire"; }

# synapse <release libraries: a Matrix homeserver pushes through the gateway
gate_synapse() { .venv-synapse/bin/python Tests/Peers/Synapse/check.py "$release/bellwire"; }

# topics <release libraries: what pushes to ntfy or Gotify pushes to us, their clients read from us, and each request of theirs is answered
gate_topics() {
    local part
    for part in "" tray; do
        # shellcheck disable=SC2086
        each .ci/lent "${notifiers[@]}" -- tools/lib/alone \
            .venv-topics/bin/python Tests/Peers/Topics/check.py "$release/bellwire" $part || return
    done
}

# conformance <release libraries: what five documents say, against our server and Prosody; each case notices a broken server
gate_conformance() {
    each env "BELLWIRE=$release/bellwire" tools/lib/alone tools/conformance --quiet --self-check --check \
        && each .ci/lent "${pushers[@]}" -- tools/lib/alone tools/conformance --adapter prosody --quiet --check
}

# years <release libraries: pushes in 2039 and 2106, and forty days of a server and a desktop in twenty seconds
gate_years() {
    each tools/lib/alone python3 Tests/Torture/Years/walk.py "$release/bellwire" \
        && each tools/lib/alone .venv/bin/python Tests/Torture/Years/year.py "$release/bellwire" 40
}

# http1 <release libraries: our HTTP/1.1 parser against other parsers
gate_http1() { .venv/bin/python Tests/Peers/Differential/http1.py --probe "$release/ParserProbe" --count 20000; }

# websocket <release libraries: our WebSocket decoder against other decoders
gate_websocket() {
    .venv/bin/python Tests/Peers/Differential/websocket.py "$release/WebSocketProbe" --count 2000
}

# websocket-sessions <release libraries: WebSocket sessions with other programs
gate_websocket_sessions() {
    .venv/bin/python Tests/Peers/Differential/websocket_sessions.py "$release/WebSocketProbe"
}

# screen <release libraries: notifications on a recording server and on five real ones, at once and later, with pictures of the screen
gate_screen() {
    local probe=$release/PresenterProbe shots=.build/screenshots
    each .venv/bin/python Tests/Peers/Desktop/presenter.py "$probe" \
        && each .venv/bin/python Tests/Peers/Desktop/servers.py "$probe" $shots \
        && each .venv/bin/python Tests/Peers/Desktop/markup.py "$probe" $shots \
        && each .venv/bin/python Tests/Peers/Desktop/scheduled.py "$release/bellwire" $shots
}

# terminal <release: the terminal views in a terminal of tmux
gate_terminal() {
    local program
    for program in watch top; do
        each tools/lib/alone python3 Tests/Peers/Terminal/$program.py "$release/bellwire" || return
    done
}

# firefox <release libraries: Firefox takes pushes, also after the node of a cluster that it was connected to was killed
gate_firefox() {
    each .venv/bin/python Tests/Peers/Firefox/check.py "$release/bellwire" \
        && each tools/lib/alone .venv/bin/python Tests/Peers/Firefox/cluster.py "$release/bellwire"
}

# recipes <release bare-root libraries: runs the pages of docs/recipes, command for command, on that Debian and with what each page installs
gate_recipes() {
    rm -rf --one-file-system "$logs/fresh"
    unshare --mount --propagation private .venv/bin/python Tests/Peers/Recipes/walk.py "$release/bellwire" \
        .venv-synapse/bin/python "$logs/bare-debian" "$logs/fresh" docs/recipes/[a-z]*.md
}

# clients <release libraries: curl, nghttp, h2load, httpx and Go as HTTP clients, and eleven TLS libraries that change their keys
gate_clients() {
    each .venv/bin/python Tests/Peers/Clients/check.py "$release/ServerProbe" \
        && each .ci/lent "${ciphers[@]}" -- tools/lib/alone .venv/bin/python Tests/Peers/Records/check.py "$release/ServerProbe"
}

# suites <release libraries: slowhttptest, testssl.sh, TLS conversations, and the cases of h2, hpack, wsproto and Autobahn, in their short form
gate_suites() {
    twice tools/lib/alone .venv/bin/python -B Tests/Peers/Suites/check.py \
        "$release/bellwire" "$release/WebSocketProbe"
}

# rights <release libraries: random operations by callers with and without rights
gate_rights() {
    tools/lib/alone .venv/bin/python Tests/Torture/Rights/random_rights.py \
        "$release/bellwire" --count 5000
}

# callbacks <release libraries: callbacks, checked by somebody else's library
gate_callbacks() {
    tools/lib/alone .venv/bin/python Tests/Peers/WebPush/callbacks.py "$release/CallbackProbe"
}

# desktop <release libraries: applications of every shape on a bus of their own
gate_desktop() { twice desktop_programs; }

desktop_programs() {
    local program
    for program in link distributor sandbox hostile whole heard buttons dismissed changes idle flood day; do
        each .venv/bin/python Tests/Peers/Desktop/$program.py "$release/bellwire" || return
    done
}

# pages <release libraries: the status page in Chromium and Firefox, with scripts and without, and pages of others that attack it
gate_pages() {
    tools/lib/alone .venv/bin/python Tests/Peers/Pages/check.py "$release/bellwire"
}

# page-requests <release libraries: crafted requests against the forms of the status page
gate_page_requests() {
    tools/lib/alone .venv/bin/python Tests/Peers/Pages/crafted.py "$release/bellwire"
}

# attacks <release libraries: attacks a server, and checks that each attack stays within its bounds
gate_attacks() { twice without_passes tools/attack; }

# mistakes <release libraries: what an operator does wrong gets one clear line, a hint and a row in docs/troubleshooting.md
gate_mistakes() {
    tools/lib/alone .venv/bin/python Tests/Torture/Mistakes/run.py "$release/bellwire"
}

# soak <release libraries: a minute of moderate use, after which the server needs no more of anything than before
gate_soak() { twice tools/soak --minutes 1; }

# torture <release libraries: a server and a desktop that are killed under load, on a machine that fails, keep their promise; six of fifteen scenarios in turn
gate_torture() {
    local first turn in_turn=(power births clocks disks full backlog silence restores everything life topics questions)
    first=$(git rev-list --count HEAD)
    # shellcheck disable=SC2046
    without_passes tools/torture --short --jobs 3 kills desktop callbacks \
        $(for turn in 0 1 2; do echo "${in_turn[(3 * first + turn) % ${#in_turn[@]}]}"; done)
}

# cluster <release libraries: nodes and servers of a cluster are killed, stopped and cut off under load, and the others keep the promise and the files
gate_cluster() {
    .venv/bin/python Tests/Torture/Cluster/test_rules.py \
        && tools/lib/alone .venv/bin/python Tests/Torture/Cluster/files.py "$release/bellwire" && twice cluster_promise
}

cluster_promise() {
    without_passes tools/lib/alone .venv/bin/python Tests/Torture/Cluster/run.py "$release/bellwire"
}

# migrate <release libraries: a store moves to a cluster and back under load, and the backup of a node becomes a cluster again
gate_migrate() {
    without_passes tools/lib/alone .venv/bin/python Tests/Torture/Cluster/move.py "$release/bellwire"
}

# Runs a command, and prints what it prints without the lines of cases that passed.
without_passes() { "$@" | { grep -v '^pass ' || true; }; }

# instructions <release: no main path needs 5 % more instructions than when they were last counted
gate_instructions() { twice python3 tools/lib/bench/quick.py "$release/bellwire"; }

