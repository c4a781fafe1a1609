# What takes too long for each change: `.ci/run --long FORM…` runs the gates of these forms, and docs/report keeps how they
# ended. `.ci/run` sources this file after gates.sh.

declare -A LONG=(
    [sanitizers]="optimised-build optimised all-threads-build all-threads plain"
    [torture]="whole-torture whole-cluster planted"
    [fuzz]="fuzz"
    [models]="whole-models stories events"
    [suites]="whole-suites all-years whole-attacks long-soak new-packages"
)

list_long() {
    local name
    for name in $(printf '%s\n' "${!LONG[@]}" | sort); do printf '%-19s %s\n' "--long $name" "${LONG[$name]}"; done
}

# Where the results are, and figures of the tools.
data=docs/report/data

# keep_long FORM…: how the forms ended, at which commit. The gates of this run have ended.
keep_long() {
    if [ "$long_head" != "$(git rev-parse HEAD)" ]; then
        echo "not kept in docs/report: the checkout had changes that were not committed, or has another commit now"
        return
    fi
    local form gate
    for form in "$@"; do
        for gate in ${LONG[$form]}; do
            awk -v form="$form" -v gate="$gate" '$5 == gate { print form, gate, $2, $3, NF < 6 }' "$logs/results"
        done
    done | python3 tools/lib/long_forms.py keep "$data/long.json" && tools/report > /dev/null
}

# tell_long: how each ended last, and how many commits ago.
tell_long() { python3 tools/lib/long_forms.py tell "$data/long.json" $(printf '%s\n' "${!LONG[@]}" | sort); }

# Optimised code, where assertions are gone: what the optimiser breaks. Tests are not optimised.
optimised=(-c release -Xswiftc -enable-testing "${lines[@]}" --sanitize address --scratch-path .build-optimised "${undefined[@]}")

# optimised-build <install: tests, with optimised code under the address sanitizer
gate_optimised_build() { build_tests address "${optimised[@]}"; }

# optimised <optimised-build libraries: all tests of optimised code under the address sanitizer
gate_optimised() { .ci/tests .build-optimised/release; }

# all-threads-build <install: tests with the thread sanitizer, and the program that they start
gate_all_threads_build() { build_tests thread "${thread[@]}"; }

# all-threads <all-threads-build libraries: tests under the thread sanitizer, of all modules and of the whole program
gate_all_threads() { run_threads; }

# plain <bare-root: README's two commands as a user types them, with all tests, also those that a sanitizer disturbs
gate_plain() { fresh used && .ci/bare user "$logs/used" --long; }

# whole-torture <release libraries: a server and a desktop under load, which are killed hundreds of times
gate_whole_torture() { without_passes tools/torture --jobs 3 --json $data/torture.json; }

# whole-cluster <release libraries: ten minutes of a cluster whose nodes and servers are killed
gate_whole_cluster() { without_passes tools/torture cluster; }

# planted <install libraries: the torture finds each mistake that a server makes on purpose
gate_planted() { tools/torture --planted --jobs 3 --json $data/planted.json; }

# fuzz <install: twenty minutes of mutated inputs
gate_fuzz() { tools/fuzz --json $data/fuzz.json 40; }

# whole-models <install: a million random events for each model
gate_whole_models() { tools/models --json $data/models.json; }

# stories <optimised-build libraries: 20,000 random stories of an engine, in optimised code
gate_stories() { BELLWIRE_STORIES=20000 .ci/tests .build-optimised/release --filter RandomStoryTests; }

# events <optimised-build libraries: a million events of a delivery, against a model, in optimised code
gate_events() { BELLWIRE_EVENTS=1000000 .ci/tests .build-optimised/release --filter DeliveryModelTests; }

# whole-suites <release libraries: other people's test programs and cases, all of them
gate_whole_suites() { tools/suites --json $data/suites.json; }

# all-years <release libraries: a year of a server and a desktop
gate_all_years() { tools/torture --year; }

# whole-attacks <release libraries: attacks with the server's real limits
gate_whole_attacks() { without_passes tools/attack --long --json $data/attack.json; }

# long-soak <release libraries: ten minutes of moderate use
gate_long_soak() { tools/soak --minutes 10 --json $data/soak.json; }

# new-packages <release bare-root: the Debian packages of programs built twice from nothing, and an upgrade
gate_new_packages() { .ci/packages "$release/bellwire" "$logs/bare-debian" --long; }
