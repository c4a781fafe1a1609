# What each gate does. `.ci/run` sources this file; it has the order. The comment "NAME: what" is for `.ci/run --list`.

debug=$PWD/.build/debug release=$PWD/.build/release
# Optimised code, where assertions are gone, under the address sanitizer: one run finds what the optimiser breaks, what
# reads beyond its memory, what leaks, and what is undefined behaviour in our C. What a sanitizer finds is told by line;
# more debug information takes longer.
address=(-c release -Xswiftc -enable-testing -Xswiftc -gline-tables-only --sanitize address --scratch-path .build-address
    -Xcc -fsanitize=undefined -Xcc -fno-sanitize-recover=undefined)
thread=(-Xswiftc -gline-tables-only --sanitize thread --scratch-path .build-thread)

# Programs that run here only as their packages have them.
proxies=(apache2-bin caddy haproxy)
containers=(buildah caddy conmon podman runc)
monitors=(prometheus)
pushers=(prosody prosody-modules)

# needs BUILD: makes a build that several gates use, once in a run.
needs() {
    [ -e "$logs/built-$1" ] || { "build_$1" && touch "$logs/built-$1"; }
}

build_debug() { swift build --build-tests; }

build_address() { sanitized address swift build --build-tests --disable-xctest "${address[@]}"; }

build_thread() { sanitized thread swift build --build-tests --disable-xctest "${thread[@]}"; }

# sanitized NAME COMMAND…: tells Package.swift which sanitizer a build is for. It leaves out programs that no test starts,
# and for threads the tests of modules that have one thread: there nothing can be found that the other gates do not find.
sanitized() { BELLWIRE_SANITIZER=$1 "${@:2}"; }

build_release() { (source deploy/lib/prepare.sh && build_programs bellwire ServerProbe CallbackProbe); }

# behind COMMAND…: takes no more of the processors than the gates beside it leave.
behind() { (renice -n 19 "$BASHPID" > /dev/null && "$@"); }

# twice COMMAND…: how long something takes depends on what else the machine does. So a bound that is missed once is
# measured once more.
twice() {
    "$@" && return
    echo "$gate: once more"
    "$@" && echo "$gate" >> "$logs/second"
}

# Only the lines of a test run that matter, and where a sanitizer found something. Fails where no test was run, and says
# how it ended; and fails where a sanitizer found something in a program that a test had started.
summary() {
    awk '/Sanitizer: / { more = 30 }
        more-- > 0 || /✘|error:|warning:|SUMMARY|Test run with|Build complete/ { print; fflush() }
        /Test run with [1-9]/ { ran = 1 }
        /SUMMARY/ { found = 1 }
        { last[NR % 8] = $0 }
        END {
            if (!ran) for (line = NR < 8 ? 1 : NR - 7; line <= NR; line++) print last[line % 8]
            exit found || !ran
        }'
}

# run_tests BUILD OPTIONS…: tests that are built, in a session, as they run on a desk. One at a time: some block. They
# are started without SwiftPM, which makes the runs of one build wait for each other.
run_tests() {
    # Exit tests start a second process, whose threads end with it; what Foundation leaks is not ours.
    NO_COLOR=1 TSAN_OPTIONS=report_thread_leaks=0 LSAN_OPTIONS=suppressions=$PWD/.ci/leaks \
        BELLWIRE_NATS_SERVER=$PWD/.venv/bin/nats-server dbus-run-session -- \
        "$1"/bellwirePackageTests.xctest --testing-library swift-testing --no-parallel "${@:2}" 2>&1 | summary
}

# run_halves BUILD OPTIONS…: the same, in two runs side by side that take about as long as each other: most tests wait.
run_halves() {
    local half='^(EndToEnd|MailboxTests)\.' other
    run_tests "$@" --skip "$half" &
    other=$!
    run_tests "$@" --filter "$half"
    half=$?
    wait "$other" && [ "$half" = 0 ]
}

# install: the packages that the gates need
gate_install() {
    (
        source deploy/lib/prepare.sh
        prepare
        install_packages appstream bubblewrap ca-certificates chromium chromium-driver curl dbus debhelper \
            desktop-file-utils dpkg-dev dunst faketime firefox-esr fish fonts-dejavu-core gcc golang-go \
            imagemagick iproute2 libc6-dev libnotify-bin libnss3-tools lintian lxqt-notificationd man-db mandoc \
            mate-notification-daemon mmdebstrap nghttp2-client nginx-light notification-daemon openssl pkg-config \
            python3-dbusmock python3-gi python3-venv slowhttptest systemd testssl.sh tmux tzdata uidmap valgrind xdg-dbus-proxy \
            xdotool xfce4-notifyd xvfb zbar-tools zsh
        .ci/lent "${proxies[@]}" -- true
        .ci/lent "${containers[@]}" -- true
        .ci/lent "${monitors[@]}" -- true
        .ci/lent "${pushers[@]}" -- true
    )
}

# libraries: the Python libraries that the gates need
gate_libraries() {
    python3 -m venv .venv \
        && .venv/bin/python -m pip install --quiet --disable-pip-version-check -r .ci/requirements.txt \
            -r Tests/Peers/WebPush/requirements.txt -r Tests/Peers/Differential/requirements.txt \
            -r Tests/Peers/Differential/requirements-websocket.txt -r Tests/Peers/Clients/requirements.txt \
            -r Tests/Peers/Desktop/requirements.txt -r Tests/Peers/Container/requirements.txt \
            -r Tests/Peers/Monitoring/requirements.txt -r Tests/Torture/requirements.txt \
            -r Tests/Peers/Suites/requirements.txt -r deploy/lib/nats-requirements.txt \
            -r Tests/Peers/Nats/requirements.txt \
        && .venv/bin/python Tests/Peers/Suites/sdists.py \
        || return
    # Only axe itself, and not the browsers that its package would bring.
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps \
        -r Tests/Peers/Pages/requirements.txt || return
    # A homeserver brings so much with it that it has a place of its own.
    python3 -m venv .venv-synapse \
        && .venv-synapse/bin/python -m pip install --quiet --disable-pip-version-check \
            -r Tests/Peers/Synapse/requirements.txt
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

# spelling: codespell finds nothing but the words of .ci/words; it takes German for misspelled English
gate_spelling() {
    local files=(':!Tests/Vectors' ':!Tests/Programs/Fuzz/Seeds' ':!*.png' ':!docs/report/flame-*.svg' ':!Sources/Base/Sentences')
    git ls-files -z "${files[@]}" | xargs -0 .venv/bin/codespell --ignore-words .ci/words \
        && echo "spelling: $(git ls-files "${files[@]}" | wc -l) files checked"
}

# commands: each command and option that a document names exists
gate_commands() { needs release && .ci/commands "$release/bellwire"; }

# starts: deploy/run as people start it, with their mistakes
gate_starts() { .ci/starts; }

# python: ruff finds nothing in the Python files, they are formatted, and docs/report is that of its figures
gate_python() { .venv/bin/ruff check && .venv/bin/ruff format --check && tools/report --check; }

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

# bare: README's two commands on that Debian, with all tests, and from there to the first notification
gate_bare() {
    needs debug && needs bare_root || return
    # Others need the system as it is.
    rm -rf --one-file-system "$logs/tried"
    cp -a "$logs/bare-debian" "$logs/tried" && .ci/bare try "$logs/tried"
}

# bare-user: the same commands there as a user with sudo, in a path with a blank, without network and without .git
gate_bare_user() {
    needs bare_root || return
    rm -rf --one-file-system "$logs/used"
    cp -a "$logs/bare-debian" "$logs/used" && .ci/bare user "$logs/used"
}

# packages: the Debian packages, from their bytes to a walk through a fresh Debian
gate_packages() { needs release && needs bare_root && .ci/packages "$release/bellwire" "$logs/bare-debian"; }

# threads-build: tests with the thread sanitizer
gate_threads_build() { needs thread; }

# addresses-build: tests, optimised, with the address sanitizer
gate_addresses_build() { needs address; }

# threads: tests under the thread sanitizer, but for those with one thread, and for some that fill stores to their limits
gate_threads() {
    # Those of whole modules are not in the build. The rest is what takes long: values, and commands that ask nobody.
    local values='(DesktopTests\.(RandomScreen|ReusedNumber|SettingsFile)|ReactorTests\.TimerQueue|SystemTests\.Log)Tests/'
    local parsers='HTTPTests\.(HTTP1Cut|HTTP2Cut|WebSocketDecoder)Tests/'
    local commands='EndToEnd\.((Backup|Decrypt|Keys|Restore)Command|Manual|ReceiverID|Replay)Tests/'
    # Tests that store less have the same threads.
    local limits='(APITests\.EngineGrowthTests/titles|PushServiceTests\.MatrixLoadTests/largeHomeserver)\('
    local stores='MailboxTests\.(CallbackStoreTests/fullBySize|ExportTests/large|RegistrationCallbackTests/pushes)\('
    needs thread \
        && run_halves .build-thread/debug --skip "^($values|$parsers|$commands|$limits|$stores)"
}

# addresses: all tests, optimised, under the address sanitizer
gate_addresses() { needs address && run_halves .build-address/release; }

# stories: 2,000 random stories of an engine, in optimised code
gate_stories() {
    needs address \
        && BELLWIRE_STORIES=2000 behind run_tests .build-address/release --filter RandomStoryTests
}

# followed: the tests of the store again, each beside a second store that follows it by a log and must be alike
gate_followed() { needs debug && BELLWIRE_FOLLOWED_STORES=1 behind run_tests "$debug" --filter '^MailboxTests\.'; }

# events: 150,000 events of a delivery, against a model, in optimised code; tools/models plays a million
gate_events() {
    needs address \
        && BELLWIRE_EVENTS=150000 behind run_tests .build-address/release --filter DeliveryModelTests
}

# release: builds the programs that the gates after it start
gate_release() { needs release; }

# units: systemd accepts the units, and the desktop files are valid
gate_units() { needs release && .ci/units "$release/bellwire"; }

# webpush: libraries of other people that push and are pushed to
gate_webpush() {
    needs release || return
    local program
    for program in check push story; do
        .venv/bin/python Tests/Peers/WebPush/$program.py "$release/bellwire" || return
    done
}

# proxies: nginx, Caddy, Apache and HAProxy in front, and certificates where other programs put them
gate_proxies() {
    needs release || return
    .ci/lent "${proxies[@]}" -- tools/lib/alone .venv/bin/python Tests/Peers/Proxies/check.py "$release/bellwire" \
        && tools/lib/alone .venv/bin/python Tests/Peers/Proxies/certificates.py "$release/bellwire"
}

# container: the image, built and run, alone and with Caddy in front
gate_container() {
    needs release && .ci/lent "${containers[@]}" -- tools/lib/alone unshare --mount --propagation private \
        .venv/bin/python Tests/Peers/Container/check.py "$release/bellwire"
}

# monitoring: Prometheus reads the metrics, the alerts and the questions of the dashboard
gate_monitoring() {
    needs release && .ci/lent "${monitors[@]}" -- tools/lib/alone \
        .venv/bin/python Tests/Peers/Monitoring/check.py "$release/bellwire"
}

# nats: the servers of deploy/cluster give a node what it needs and nothing more, and go on without one of them
gate_nats() { BELLWIRE_NATS_SERVER=$PWD/.venv/bin/nats-server tools/lib/alone .venv/bin/python Tests/Peers/Nats/check.py; }

# cluster-keys: a cluster gets another master key while it is pushed to, and no push fails
gate_cluster_keys() {
    needs release && BELLWIRE_NATS_SERVER=$PWD/.venv/bin/nats-server tools/lib/alone .venv/bin/python \
        Tests/Torture/Cluster/keys.py "$release/bellwire"
}

# synapse: a Matrix homeserver pushes through the gateway
gate_synapse() { needs release && .venv-synapse/bin/python Tests/Peers/Synapse/check.py "$release/bellwire"; }

# conformance: what five documents say, against our server and Prosody; each case notices a broken server
gate_conformance() {
    needs release || return
    BELLWIRE=$release/bellwire tools/lib/alone tools/conformance --quiet --self-check --check \
        && .ci/lent "${pushers[@]}" -- tools/lib/alone tools/conformance --adapter prosody --quiet --check
}

# years: pushes in 2039 and 2106, and forty days of a server and a desktop in twenty seconds
gate_years() {
    needs release && tools/lib/alone python3 Tests/Torture/Years/walk.py "$release/bellwire" \
        && tools/lib/alone .venv/bin/python Tests/Torture/Years/year.py "$release/bellwire" 40
}

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

# terminal: the terminal views in a terminal of tmux
gate_terminal() {
    local program
    needs release || return
    for program in watch top; do
        tools/lib/alone python3 Tests/Peers/Terminal/$program.py "$release/bellwire" || return
    done
}

# firefox: Firefox takes pushes, also after the node of a cluster that it was connected to was killed
gate_firefox() {
    needs release && .venv/bin/python Tests/Peers/Firefox/check.py "$release/bellwire" \
        && BELLWIRE_NATS_SERVER=$PWD/.venv/bin/nats-server tools/lib/alone .venv/bin/python \
            Tests/Peers/Firefox/cluster.py "$release/bellwire"
}

# recipes: runs the pages of docs/recipes, command for command, on that Debian and with what each page installs
gate_recipes() {
    needs release && needs bare_root || return
    rm -rf --one-file-system "$logs/fresh"
    unshare --mount --propagation private .venv/bin/python Tests/Peers/Recipes/walk.py "$release/bellwire" \
        .venv-synapse/bin/python "$logs/bare-debian" "$logs/fresh" docs/recipes/[a-z]*.md
}

# clients: curl, nghttp, h2load, httpx and Go as HTTP clients
gate_clients() { needs release && .venv/bin/python Tests/Peers/Clients/check.py "$release/ServerProbe"; }

# suites: slowhttptest, testssl.sh, TLS conversations, and the cases of h2, hpack, wsproto and Autobahn, in their short form
gate_suites() {
    needs release && needs debug && twice tools/lib/alone .venv/bin/python -B Tests/Peers/Suites/check.py \
        "$release/bellwire" "$debug/WebSocketProbe"
}

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
    for program in link distributor sandbox hostile whole heard changes idle flood day; do
        .venv/bin/python Tests/Peers/Desktop/$program.py "$release/bellwire" || return
    done
}

# pages: the status page in Chromium and Firefox, with scripts and without, and pages of others that attack it
gate_pages() {
    needs release && tools/lib/alone .venv/bin/python Tests/Peers/Pages/check.py "$release/bellwire"
}

# page-requests: crafted requests against the forms of the status page
gate_page_requests() {
    needs release && tools/lib/alone .venv/bin/python Tests/Peers/Pages/crafted.py "$release/bellwire"
}

# attacks: attacks a server, and checks that each attack stays within its bounds
gate_attacks() { twice without_passes tools/attack; }

# mistakes: what an operator does wrong gets one clear line, a hint and a row in docs/troubleshooting.md
gate_mistakes() {
    needs release && tools/lib/alone .venv/bin/python Tests/Torture/Mistakes/run.py "$release/bellwire"
}

# soak: a minute of moderate use, after which the server needs no more of anything than before
gate_soak() { twice tools/soak --minutes 1; }

# torture: a server and a desktop that are killed under load, on a machine that fails, keep their promise
gate_torture() { without_passes tools/torture --short --jobs 3; }

# cluster: nodes and servers of a cluster are killed, stopped and cut off under load, and the others keep the promise
gate_cluster() {
    needs release && .venv/bin/python Tests/Torture/Cluster/test_rules.py && twice cluster_promise
}

cluster_promise() {
    BELLWIRE_NATS_SERVER=$PWD/.venv/bin/nats-server without_passes tools/lib/alone .venv/bin/python \
        Tests/Torture/Cluster/run.py "$release/bellwire"
}

# migrate: a store moves to a cluster and back under load, and the backup of a node becomes a cluster again
gate_migrate() {
    needs release
    BELLWIRE_NATS_SERVER=$PWD/.venv/bin/nats-server without_passes tools/lib/alone .venv/bin/python \
        Tests/Torture/Cluster/move.py "$release/bellwire"
}

# What missed its bound, what was done, and how many cases were seen where none may be missing.
without_passes() { "$@" | { grep -v '^pass ' || true; }; }

# instructions: no main path needs 5 % more instructions than when they were last counted
gate_instructions() { needs release && twice python3 tools/lib/bench/quick.py "$release/bellwire"; }

# fuzz-build: the parsers, built to be fuzzed
gate_fuzz_build() { behind tools/fuzz --build; }

# fuzz: a minute of mutated inputs for every parser
gate_fuzz() { tools/fuzz 1; }
