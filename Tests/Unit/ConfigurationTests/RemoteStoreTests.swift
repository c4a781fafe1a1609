import Testing
@testable import Configuration

/// The store of a configuration with this text.
private func store(
    _ text: String, hostName: String = "", environment: [String: String] = [:]
) throws(ConfigurationError) -> RemoteStore? {
    var input = ConfigurationInput(
        environment: environment.merging(["HOME": "/home/a"]) { given, _ in given },
        file: ConfigurationInput.File(path: "b.conf", bytes: Array(text.utf8)))
    input.hostName = hostName
    return try ServerConfiguration(input).remoteStore
}

/// The error and hint of a configuration as printed.
private func failure(_ text: String, hostName: String = "") -> String? {
    do throws(ConfigurationError) {
        _ = try store(text, hostName: hostName)
        return nil
    } catch {
        return error.description + (error.hint.map { " | " + $0 } ?? "")
    }
}

@Suite("The configuration of a store on other servers")
struct RemoteStoreTests {
    @Test("SQLite is the default, and needs no name of the machine")
    func sqlite() throws {
        #expect(try store("") == nil)
        #expect(try store("store = sqlite") == nil)
    }

    @Test("Three replicas, servers that sync, and the name of the machine are the default")
    func defaults() throws {
        let store = try #require(try store("store = tls://n1.example", hostName: "push1"))
        #expect(store.servers == ["tls://n1.example:4222"] && store.isEncrypted)
        #expect(store.node == "push1" && store.replicas == 3)
        #expect(!store.acceptsUnsynced && !store.acceptsUnsafe)
        #expect(store.authorities == nil && store.credentials == nil)
    }

    @Test("Each setting is taken")
    func settings() throws {
        let store = try #require(
            try store(
                """
                store = tls://a.example, tls://[0:0::1]:1,tls://u:p_~.-@C:65535
                store-authorities = /ca.pem
                store-credentials = /node.creds
                store-replicas = 5
                store-unsynced = yes
                nats-unsafe-servers = yes
                node = eu.push-1_a
                """, hostName: "other", environment: ["CREDENTIALS_DIRECTORY": "/run/c"]))
        #expect(
            store.servers == ["tls://a.example:4222", "tls://[0:0::1]:1", "tls://u:p_~.-@c:65535"])
        #expect(store.authorities == "/ca.pem")
        #expect(store.credentials == "/node.creds" && store.isCredentialsNamed)
        #expect(store.replicas == 5 && store.acceptsUnsynced && store.acceptsUnsafe)
        #expect(store.node == "eu.push-1_a")
    }

    @Test("It is read as it was written")
    func lines() throws {
        for text in [
            "store = tls://u:p@a, tls://b:1\nnode = n\nstore-credentials = /c\n"
                + "store-unsynced = yes\nstore-authorities = /ca",
            "store = nats://a\nnode = n\nstore-replicas = 1\nnats-unsafe-servers = yes",
        ] {
            let written = try #require(try store(text))
            #expect(try RemoteStore(lines: written.lines, environment: [:]) == written)
        }
        #expect(try RemoteStore(lines: "", environment: [:]) == nil)
    }

    @Test("A credential of systemd is used if it is there")
    func credential() throws {
        let store = try #require(
            try store(
                "store = nats://token@a\nnode = b", environment: ["CREDENTIALS_DIRECTORY": "/run/c"]
            )
        )
        #expect(store.servers == ["nats://token@a:4222"] && !store.isEncrypted)
        #expect(store.credentials == "/run/c/nats.creds" && !store.isCredentialsNamed)
    }

    @Test(
        "A wrong address of a server is refused",
        arguments: [
            ("nats", "is neither sqlite nor nats://HOST:PORT nor tls://HOST:PORT"),
            ("sqlite,tls://a", "is neither sqlite nor nats://HOST:PORT nor tls://HOST:PORT"),
            ("tls://a,", "is neither sqlite nor nats://HOST:PORT nor tls://HOST:PORT"),
            ("TLS://a", "is neither sqlite nor nats://HOST:PORT nor tls://HOST:PORT"),
            ("tls://", "has no host, or a wrong one"),
            ("tls://:1", "has no host, or a wrong one"),
            ("tls://a b", "has no host, or a wrong one"),
            ("tls://[::1", "has no host, or a wrong one"),
            ("tls://[127.0.0.1]", "has no host, or a wrong one"),
            ("tls://[::1]1", "has more than a host and a port"),
            ("tls://a:", "has more than a host and a port"),
            ("tls://a:0", "has more than a host and a port"),
            ("tls://a:65536", "has more than a host and a port"),
            ("tls://a/b", "has no host, or a wrong one"),
            ("tls://a:1/b", "has more than a host and a port"),
            ("tls://a,nats://b", "has both nats:// and tls://: write tls:// for all servers"),
            ("tls://a,tls://A:4222", "names the same server twice"),
        ])
    func addresses(value: String, problem: String) {
        #expect(
            failure("store = \(value)\nnode = a")
                == "b.conf:1: store: \(value) \(problem) | write store = STORE")
    }

    @Test(
        "No user and no password is shown",
        arguments: [
            "tls://hush@a/", "tls://u:hush@a/", "tls://u:hush:hush@a", "tls://u:@a,tls://hush@b",
            "tls://u:hu,hush@a", "tls://u:hu%73h@a", "tls://:hush@a", "tls:/u:hush@a",
            "tls://u:hush@a,tls://u:hush@b/,tls://u:hush@c",
        ])
    func secrets(value: String) throws {
        let text = try #require(failure("store = \(value)\nnode = a"))
        #expect(text.contains("<secret>@") && !text.contains("hu"), "\(text)")
    }

    @Test("Another user makes no other server")
    func twice() {
        #expect(
            failure("store = tls://u@a,tls://v@a:4222\nnode = a")?.contains("twice") == true)
    }

    @Test("Each server of a list is shown")
    func shown() throws {
        let value = "tls://u:hush@a:1,tls://b:2,tls://hush@c:3"
        #expect(
            ConfigurationKey.store.shown(value)
                == "tls://<secret>@a:1,tls://b:2,tls://<secret>@c:3")
    }

    @Test(
        "A mistake says what to do",
        arguments: [
            (
                "store-replicas = 6",
                "b.conf:2: store-replicas: 6 is not a number from 1 to 5 "
                    + "| write store-replicas = NUMBER"
            ),
            (
                "store-replicas = 03",
                "b.conf:2: store-replicas: 03 is not a number from 1 to 5 "
                    + "| write store-replicas = NUMBER"
            ),
            (
                "store-unsynced = true",
                "b.conf:2: store-unsynced: true is not yes or no | write store-unsynced = yes|no"
            ),
            (
                "node = a b",
                "b.conf:2: node: a b is not a name of at most 64 letters, digits and - . _ "
                    + "| write node = NAME"
            ),
            (
                "node = a\nstore-authorities = /ca.pem",
                "b.conf:3: store-authorities needs tls:// | write tls:// instead of nats:// in store"
            ),
            ("", "this machine has no name that a node can have | name the node: --node NAME"),
        ])
    func mistakes(text: String, message: String) {
        #expect(failure("store = nats://a\n" + text) == message)
    }

    @Test("A name that many machines have names no node")
    func names() {
        for name in ["localhost", "", "a/b", String(repeating: "a", count: 65)] {
            #expect(failure("store = tls://a", hostName: name)?.contains("--node") == true)
        }
        #expect(failure("store = tls://a", hostName: String(repeating: "a", count: 64)) == nil)
    }

    @Test(
        "SQLite takes none of these settings",
        arguments: [
            ("store-authorities", "/ca.pem"), ("store-credentials", "/c"), ("store-replicas", "3"),
            ("store-unsynced", "no"), ("nats-unsafe-servers", "no"), ("node", "a"),
        ])
    func unused(key: String, value: String) {
        for start in ["", "store = sqlite"] {
            #expect(
                failure("\(start)\n\(key) = \(value)")
                    == "b.conf:2: \(key) needs a store on other servers "
                    + "| write store = tls://HOST:PORT, or leave \(key) out")
        }
    }

    @Test("The name in force is shown, and all of it waits for a restart")
    func rendering() throws {
        var input = ConfigurationInput(
            options: ["store": ["tls://a"]], environment: ["HOME": "/home/a"])
        input.hostName = "push1"
        let configuration = try ServerConfiguration(input)
        #expect(configuration.text.contains("node = push1  # default\n"))
        #expect(configuration.text.contains("store-replicas = 3  # default\n"))
        let before = try ServerConfiguration(ConfigurationInput(environment: ["HOME": "/home/a"]))
        #expect(configuration.keysForNextStart(after: before) == ["store"])
        let keys = ConfigurationKey.all.filter { $0.name.hasPrefix("store") || $0.name == "node" }
        #expect(keys.count == 6 && keys.allSatisfy { $0.effect == .atStart })
    }
}
