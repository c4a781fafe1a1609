# What each gate does. `.ci/run` sources this file; it has the order. The comment "NAME: what" is for `.ci/run --list`.

debug=$PWD/.build/debug release=$PWD/.build/release
# Optimised code, where assertions are gone, under the address sanitizer: one run finds what the optimiser breaks, what
# reads beyond its memory, and what leaks.
address=(-c release -Xswiftc -enable-testing --sanitize address --scratch-path .build-address)
thread=(--sanitize thread --scratch-path .build-thread)

# needs BUILD: makes a build that several gates use, once in a run.
needs() {
    [ -e "$logs/built-$1" ] || { "build_$1" && touch "$logs/built-$1"; }
}

build_debug() { swift build --build-tests; }

build_release() { (source deploy/lib/prepare.sh && build_programs bellwire ServerProbe CallbackProbe); }

# twice COMMAND…: how long something takes depends on what else the machine does. So a bound that is missed once is
# measured once more.
twice() {
    "$@" && return
    echo "$gate: once more"
    "$@" && echo "$gate" >> "$logs/second"
}

# Only the lines of a test run that matter. Fails where no test was run, and where a sanitizer found something in a
# program that a test had started.
summary() {
    awk '/✘|error:|warning:|SUMMARY|Sanitizer: |Test run with|Build complete/ { print; fflush() }
        /Test run with [1-9]/ { ran = 1 }
        /SUMMARY/ { found = 1 }
        END { exit found || !ran }'
}

# run_tests OPTIONS…: tests that are built, in a session, as they run on a desk. One at a time: some block.
run_tests() {
    # Exit tests start a second process, whose threads end with it; what Foundation leaks is not ours.
    TSAN_OPTIONS=report_thread_leaks=0 LSAN_OPTIONS=suppressions=$PWD/.ci/leaks \
        dbus-run-session -- swift test --skip-build --disable-xctest --no-parallel "$@" 2>&1 | summary
}

# install: the packages and Python libraries that the gates need
gate_install() {
    (
        source deploy/lib/prepare.sh
        prepare
        install_packages bubblewrap curl dbus desktop-file-utils dunst faketime firefox-esr fonts-dejavu-core gcc golang-go imagemagick \
            iproute2 libc6-dev libnotify-bin libnss3-tools lxqt-notificationd mate-notification-daemon mmdebstrap \
            nghttp2-client nginx-light notification-daemon openssl python3-dbusmock python3-venv systemd xdg-dbus-proxy xdotool \
            xfce4-notifyd xvfb
        python3 -m venv .venv
        .venv/bin/python -m pip install --quiet --disable-pip-version-check -r .ci/requirements.txt \
            -r Tests/Peers/WebPush/requirements.txt -r Tests/Peers/Differential/requirements.txt \
            -r Tests/Peers/Differential/requirements-websocket.txt -r Tests/Peers/Clients/requirements.txt \
            -r Tests/Peers/Desktop/requirements.txt
        # A homeserver brings so much with it that it has a place of its own.
        python3 -m venv .venv-synapse
        .venv-synapse/bin/python -m pip install --quiet --disable-pip-version-check \
            -r Tests/Peers/Synapse/requirements.txt
    )
}

# imports: modules import only those below them
gate_imports() { .ci/imports; }

# circles: neither modules nor their folders need each other in a circle
gate_circles() { .ci/circles; }

# walk: docs/architecture.md tells the way of a push by functions that exist
gate_walk() { .ci/walk; }

# forbidden: constructs that do not belong in the product
gate_forbidden() { .ci/forbidden; }

# links: each link and path in the documents leads somewhere
gate_links() { .ci/links; }

# python: ruff finds nothing in the Python files, and they are formatted
gate_python() { .venv/bin/ruff check && .venv/bin/ruff format --check; }

# format: the Swift files are formatted
gate_format() {
    local count
    count=$(git ls-files '*.swift' | wc -l)
    [ "$count" -gt 0 ] && git ls-files -z '*.swift' | xargs -0 swift format lint --strict \
        && echo "format: $count files checked"
}

# debug: everything builds, tests included, without a warning
gate_debug() { needs debug; }

# bare-root: makes a Debian that has nothing but what it starts with
gate_bare_root() { needs bare_root; }

build_bare_root() { mkdir "$logs/bare-debian" && .ci/bare make "$logs/bare-debian"; }

# bare: README's two commands on that Debian, with all tests
gate_bare() { needs debug && needs bare_root && .ci/bare try "$logs/bare-debian"; }

# threads: all tests under the thread sanitizer
gate_threads() { swift build --build-tests --disable-xctest "${thread[@]}" && run_tests "${thread[@]}"; }

# addresses: all tests, optimised, under the address sanitizer
gate_addresses() { swift build --build-tests --disable-xctest "${address[@]}" && run_tests "${address[@]}"; }

# stories: 10,000 random stories of an engine
gate_stories() { needs debug && BELLWIRE_STORIES=10000 run_tests --filter RandomStoryTests; }

# events: a million events of a delivery, against a model
gate_events() { needs debug && BELLWIRE_EVENTS=1000000 run_tests --filter DeliveryModelTests; }

# planted: the mistakes that tools/torture --planted builds in still compile
gate_planted() { needs debug && .ci/planted; }

# release: the programs that the gates after it start
gate_release() { needs release; }

# units: what systemd thinks of the units, and desktops of their files
gate_units() { needs release && .ci/units "$release/bellwire"; }

# webpush: libraries of other people that push and are pushed to, and nginx in front
gate_webpush() {
    needs release || return
    local program
    for program in check push nginx story; do
        .venv/bin/python Tests/Peers/WebPush/$program.py "$release/bellwire" || return
    done
}

# synapse: a Matrix homeserver pushes through the gateway
gate_synapse() { needs release && .venv-synapse/bin/python Tests/Peers/Synapse/check.py "$release/bellwire"; }

# years: pushes in 2039 and 2106
gate_years() { needs release && tools/lib/alone python3 Tests/Torture/Years/walk.py "$release/bellwire"; }

# http1: our HTTP/1.1 parser against other parsers
gate_http1() { needs debug && .venv/bin/python Tests/Peers/Differential/http1.py --count 20000; }

# websocket: our WebSocket decoder against other decoders
gate_websocket() {
    needs debug && .venv/bin/python Tests/Peers/Differential/websocket.py "$debug/WebSocketProbe" --count 2000
}

# websocket-sessions: WebSocket sessions with other programs
gate_websocket_sessions() {
    needs debug && .venv/bin/python Tests/Peers/Differential/websocket_sessions.py "$debug/WebSocketProbe"
}

# screen: notifications on a recording server and on five real ones, with pictures of the screen
gate_screen() {
    needs debug || return
    local probe=$debug/PresenterProbe shots=.build/screenshots
    .venv/bin/python Tests/Peers/Desktop/presenter.py "$probe" \
        && .venv/bin/python Tests/Peers/Desktop/servers.py "$probe" $shots \
        && .venv/bin/python Tests/Peers/Desktop/markup.py "$probe" $shots
}

# firefox: Firefox takes pushes
gate_firefox() { needs release && .venv/bin/python Tests/Peers/Firefox/check.py "$release/bellwire"; }

# recipes: the pages of docs/recipes, command for command
gate_recipes() {
    # Their server has its usual port, in a network of its own.
    needs release && tools/lib/alone .venv/bin/python Tests/Peers/Recipes/walk.py \
        "$release/bellwire" .venv-synapse/bin/python docs/recipes/*.md
}

# clients: curl, nghttp, h2load, httpx and Go as HTTP clients
gate_clients() { needs release && .venv/bin/python Tests/Peers/Clients/check.py "$release/ServerProbe"; }

# rights: random operations by callers with and without rights
gate_rights() {
    needs release && tools/lib/alone .venv/bin/python Tests/Torture/Rights/random_rights.py \
        "$release/bellwire" --count 5000
}

# callbacks: callbacks, checked by somebody else's library
gate_callbacks() {
    needs release && tools/lib/alone .venv/bin/python Tests/Peers/WebPush/callbacks.py "$release/CallbackProbe"
}

# desktop: applications of every shape on a bus of their own
gate_desktop() { needs release && twice desktop_programs; }

desktop_programs() {
    local program
    for program in link distributor sandbox hostile whole changes idle flood day; do
        .venv/bin/python Tests/Peers/Desktop/$program.py "$release/bellwire" || return
    done
}

# attacks: attacks on a server, each held to bounds
gate_attacks() { twice without_passes tools/attack; }

# torture: a server that is killed under load keeps its promise
gate_torture() { without_passes tools/torture --short; }

# What missed its bound, what was done, and how many cases were seen where none may be missing.
without_passes() { "$@" | { grep -v '^pass ' || true; }; }

# fuzz-build: the parsers, built to be fuzzed
gate_fuzz_build() { tools/fuzz --build; }

# fuzz: a minute of mutated inputs for every parser
gate_fuzz() { tools/fuzz 1; }
