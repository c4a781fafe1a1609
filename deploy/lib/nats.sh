# deploy/cluster sources this file. It starts servers of NATS for a trial on this machine, with deploy/nats/server.conf as it
# is. `folder` is where everything of the trial is.

NATS_SERVERS=3
NATS_PORT=4222
NATS_CLUSTER_PORT=6222
NATS_MONITORING_PORT=8222

# find_nats_server: sets nats_server to the program, and installs it into .venv if there is none.
find_nats_server() {
    nats_server=${BELLWIRE_NATS_SERVER:-$(command -v nats-server || true)}
    [ -n "$nats_server" ] || nats_server=$PWD/.venv/bin/nats-server
    [ ! -x "$nats_server" ] || return 0
    [ -z "${BELLWIRE_NATS_SERVER:-}" ] || fail "$nats_server is no program" "correct the variable BELLWIRE_NATS_SERVER"
    command -v python3 > /dev/null && python3 -c 'import ensurepip' 2> /dev/null \
        || fail "there is no nats-server" "install nats-server 2.15, or Debian's python3-venv, with which it is fetched"
    say "installing nats-server into .venv"
    python_libraries deploy/lib/nats-requirements.txt || fail "nats-server cannot be installed" "is there a network?"
}

# make_nats_secrets: an authority, a certificate for all servers, and passwords. They stay from trial to trial.
make_nats_secrets() {
    local name
    mkdir -p "$folder/nats"
    for name in password admin; do
        # A letter comes first, so that no password reads like a number.
        [ -s "$folder/nats/$name" ] || echo "b$(openssl rand -hex 24)" > "$folder/nats/$name"
    done
    [ ! -s "$folder/nats/server.pem" ] || return 0
    local curve=(-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes)
    {
        openssl req -x509 "${curve[@]}" -days 3650 -subj "/CN=Bellwire trial" -addext basicConstraints=critical,CA:TRUE,pathlen:0 \
            -addext keyUsage=critical,keyCertSign -keyout "$folder/nats/ca.key" -out "$folder/nats/ca.pem"
        openssl req "${curve[@]}" -subj "/CN=localhost" -keyout "$folder/nats/server.key" -out "$folder/nats/server.csr"
        # To each other the servers are clients too.
        openssl x509 -req -days 3650 -in "$folder/nats/server.csr" -CA "$folder/nats/ca.pem" -CAkey "$folder/nats/ca.key" \
            -out "$folder/nats/server.pem" \
            -extfile <(printf '%s\n' subjectAltName=IP:127.0.0.1,DNS:localhost extendedKeyUsage=serverAuth,clientAuth)
    } 2> "$folder/nats/openssl.log" || fail "openssl made no certificate" "see $folder/nats/openssl.log"
    rm "$folder/nats/server.csr" "$folder/nats/openssl.log"
}

# nats_settings NUMBER: sets the variables of deploy/nats/server.conf for this server.
nats_settings() {
    local number port routes=
    for ((number = 0; number < NATS_SERVERS; number++)); do
        routes+="${routes:+, }tls://127.0.0.1:$((NATS_CLUSTER_PORT + number))"
    done
    port=$(($1 - 1))
    export NATS_SERVER=nats$1 NATS_STATE=$folder/nats/$1 NATS_SPACE=4GB NATS_ROUTES="[$routes]"
    export NATS_LISTEN=127.0.0.1:$((NATS_PORT + port)) NATS_CLUSTER_LISTEN=127.0.0.1:$((NATS_CLUSTER_PORT + port))
    export NATS_MONITORING=127.0.0.1:$((NATS_MONITORING_PORT + port))
    export NATS_CERTIFICATE=$folder/nats/server.pem NATS_KEY=$folder/nats/server.key NATS_AUTHORITIES=$folder/nats/ca.pem
    NATS_PASSWORD=$(cat "$folder/nats/password") NATS_ADMIN_PASSWORD=$(cat "$folder/nats/admin")
    export NATS_PASSWORD NATS_ADMIN_PASSWORD
}

# nats_ports: the ports of all servers.
nats_ports() {
    local number
    for ((number = 0; number < NATS_SERVERS; number++)); do
        echo $((NATS_PORT + number)) $((NATS_CLUSTER_PORT + number)) $((NATS_MONITORING_PORT + number))
    done
}

# nats_store: what the setting "store" of a node says.
nats_store() {
    local number store= password
    password=$(cat "$folder/nats/password")
    for ((number = 0; number < NATS_SERVERS; number++)); do
        store+="${store:+,}tls://bellwire:$password@127.0.0.1:$((NATS_PORT + number))"
    done
    echo "$store"
}

# nats_is_ready: every server has found the others, and they have a leader.
nats_is_ready() {
    local number
    for ((number = 0; number < NATS_SERVERS; number++)); do
        [[ $(fetch $((NATS_MONITORING_PORT + number)) /healthz) = *'"status":"ok"'* ]] || return
    done
}

# fetch PORT PATH: what a server on this machine answers.
fetch() {
    {
        exec 7<> "/dev/tcp/127.0.0.1/$1" || return
        printf 'GET %s HTTP/1.0\r\n\r\n' "$2" >&7
        timeout 2 cat <&7
        exec 7>&-
    } 2> /dev/null
}
