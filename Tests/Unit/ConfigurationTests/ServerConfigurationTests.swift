import Base
import Foundation
import TestSupport
import Testing

@testable import Configuration

/// A configuration from a file's text, with a home folder.
private func configuration(
    _ text: String = "", options: [String: [String]] = [:],
    environment: [String: String] = ["HOME": "/home/a"]
) throws(ConfigurationError) -> ServerConfiguration {
    try ServerConfiguration(
        ConfigurationInput(
            options: options, environment: environment,
            file: ConfigurationInput.File(path: "b.conf", bytes: Array(text.utf8))))
}

/// The error and hint of a configuration as printed.
private func failure(_ text: String, options: [String: [String]] = [:]) -> String? {
    do throws(ConfigurationError) {
        _ = try configuration(text, options: options)
        return nil
    } catch {
        return error.description + (error.hint.map { " | " + $0 } ?? "")
    }
}

@Suite("Configuration")
struct ServerConfigurationTests {
    @Test("By default it listens on loopback, is open, and keeps its state at home")
    func none() throws {
        let configuration = try ServerConfiguration(
            ConfigurationInput(environment: ["HOME": "/home/a"]))
        #expect(
            configuration.listeners.map(\.endpoint) == [
                .tls(IPAddress(v4: 0x7F00_0001), port: 8443),
                .tls(IPAddress(high: 0, low: 1), port: 8443),
            ])
        #expect(configuration.registration == .open && configuration.baseURL == nil)
        #expect(configuration.state == "/home/a/.local/state/bellwire")
        #expect(configuration.keys == "/home/a/.local/state/bellwire/keys")
        #expect(configuration.values[.backlogFull] == nil)
        #expect(configuration.hasOwnRecords)
        #expect(!configuration.values.isOn(.localUsers))
        #expect(configuration.remoteStore == nil && configuration.metricsListener == nil)
        #expect(configuration.certificate == nil && configuration.aliases.isEmpty)
    }

    @Test("Callback targets are allowed by address or socket")
    func callbacks() throws {
        let configuration = try configuration(
            """
            callback-allow = 10.1.0.0/16
            callback-allow = ::1
            callback-allow = unix:/run/hook.sock
            callback-proxy = http://user:word@proxy.example:3128
            callback-unix-directory = /run/hooks
            callback-authorities = /etc/ca.pem
            """)
        #expect(configuration.callbackAllowances.count == 3)
        #expect(configuration.callbackAllowances.last == .socket(path: "/run/hook.sock"))
        #expect(configuration.values[.callbackProxy] == "http://user:word@proxy.example:3128")
        #expect(configuration.values[.callbackUnixDirectory] == "/run/hooks")
        #expect(configuration.values[.callbackAuthorities] == "/etc/ca.pem")
        #expect(!configuration.text.contains("word"))
        for text in [
            "callback-allow = example.org", "callback-allow = 10.1.0.1/16",
            "callback-allow = unix:hook", "callback-proxy = socks5://a:1",
            "callback-unix-directory = hooks", "callback-unix-directory = /run/hooks/",
        ] {
            #expect(failure(text) != nil, "\(text)")
        }
    }

    @Test("Files of topics have five gigabytes, or what is said, or nothing")
    func attachments() throws {
        #expect(try configuration("").attachments == 5 << 30)
        for (text, bytes) in [("20 GB", 20 << 30), ("1MB", 1 << 20), ("off", 0)] {
            #expect(try configuration("attachments = \(text)").attachments == bytes)
        }
        for text in ["0 GB", "5", "GB", "-1 GB", "5 gb", "1.5 GB", "99999999999 TB"] {
            #expect(throws: ConfigurationError.self, "\(text)") {
                try configuration("attachments = \(text)")
            }
        }
    }

    @Test("A file with comments, blanks and repeated keys")
    func file() throws {
        let configuration = try configuration(
            """
            # A comment.
              # Another one.

            listen = 127.0.0.1:1   # behind the value
            \tlisten=[::1]:2\r
            base-url = https://push.example.net/a#b
            alias = https://a.example
            alias = http://b.example:8080/
            local-users = yes
            backlog-full = drop-oldest
            tls-records = openssl
            state = /var/lib/bellwire
            tls-certificate = /c.pem
            tls-key = /k.pem
            """.replacing("/a#b", with: "/a"))
        #expect(configuration.listeners.count == 2)
        #expect(configuration.baseURL?.description == "https://push.example.net/a")
        #expect(
            configuration.aliases.map(\.description) == [
                "https://a.example", "http://b.example:8080",
            ])
        #expect(configuration.values.isOn(.localUsers))
        #expect(configuration.values[.backlogFull] == "drop-oldest")
        #expect(!configuration.hasOwnRecords)
        #expect(
            configuration.certificate?.chain == "/c.pem"
                && configuration.certificate?.key == "/k.pem")
        #expect(configuration.keys == "/var/lib/bellwire/keys")
    }

    @Test("An option overrides the environment, and the environment overrides the file")
    func precedence() throws {
        let file = "base-url = https://file.example\nalias = https://file.example"
        var environment = ["HOME": "/", "BELLWIRE_BASE_URL": "https://environment.example"]
        let fromEnvironment = try configuration(file, environment: environment)
        #expect(fromEnvironment.baseURL?.description == "https://environment.example")
        #expect(fromEnvironment.aliases.map(\.host) == ["file.example"])
        environment["BELLWIRE_ALIAS"] = "https://a.example  https://b.example"
        let options = ["base-url": ["https://option.example"]]
        let fromOption = try configuration(file, options: options, environment: environment)
        #expect(fromOption.baseURL?.description == "https://option.example")
        #expect(fromOption.aliases.map(\.host) == ["a.example", "b.example"])
    }

    @Test("Addresses in the environment keep their proxy settings")
    func environmentListeners() throws {
        let text = "http://10.0.0.1:80 trusted-proxies=10.0.0.2 unix:/a proxy-protocol 127.0.0.1:1"
        let configuration = try configuration(
            environment: ["HOME": "/", "BELLWIRE_LISTEN": text, "BELLWIRE_FUZZ": "1"])
        #expect(configuration.listeners.count == 3)
        #expect(configuration.listeners[0].trustedProxies == [IPAddress(v4: 0x0A00_0002)])
        #expect(configuration.listeners[1].expectsProxyProtocol)
    }

    @Test(
        "A mistake is named with its line",
        arguments: [
            ("\n\nbase_url = x", "b.conf:3: unknown key base_url | did you mean base-url?"),
            (
                "registratoin = open",
                "b.conf:1: unknown key registratoin | did you mean registration?"
            ),
            ("just text", "b.conf:1: just text is not a setting | write it as key = value"),
            ("state =", "b.conf:1: state has no value | write state = FOLDER"),
            ("state = # nothing", "b.conf:1: state has no value | write state = FOLDER"),
            ("state = a\u{7}b", "b.conf:1: state has a control character"),
            (
                "state = /a\n#\nstate = /b", "b.conf:3: state is set twice, first in b.conf:1"
            ),
            (
                "local-users = true",
                "b.conf:1: local-users: true is not yes or no | write local-users = yes|no"
            ),
            (
                "store = nats:/x",
                "b.conf:1: store: nats:/x is neither sqlite nor nats://HOST:PORT nor tls://HOST:PORT "
                    + "| write store = STORE"
            ),
            ("tls-key = /k", "b.conf:1: tls-key needs tls-certificate"),
            ("tls-certificate = /c", "b.conf:1: tls-certificate needs tls-key"),
            (
                "listen = unix:/run/a\nlisten = unix:/run/b",
                "b.conf:1: base-url is needed if every listener is a Unix socket"
            ),
            (
                "metrics-listen = 127.0.0.1:9",
                "b.conf:1: metrics-listen: 127.0.0.1:9 must be plain HTTP: put http:// in front "
                    + "| write metrics-listen = ADDRESS"
            ),
        ])
    func mistakes(text: String, message: String) {
        #expect(failure(text) == message)
    }

    @Test("An unknown key far from any other gets the list of keys; output cannot be spoofed")
    func unknownKeys() {
        #expect(failure("colour = red")?.contains("the keys are listen, base-url") == true)
        #expect(failure("\u{1B}[2J = red")?.contains("\u{1B}") == false)
        let long = String(repeating: "x", count: 100_000)
        #expect((failure(long + " = 1")?.count ?? 0) < 1000)
    }

    @Test("A file that is not UTF-8 is refused with the line")
    func encoding() {
        let input = ConfigurationInput(
            file: ConfigurationInput.File(path: "b.conf", bytes: Array("\nstate = ".utf8) + [0xFF]))
        #expect(throws: ConfigurationError("this line is not UTF-8", in: .file("b.conf", line: 2)))
        {
            try ServerConfiguration(input)
        }
    }

    @Test("A single key may be given once as option, a repeatable one often")
    func options() {
        #expect(
            failure("", options: ["state": ["/a", "/b"]]) == "--state: is given more than once")
        #expect(failure("", options: ["listen": ["127.0.0.1:1", "127.0.0.1:2"]]) == nil)
    }

    @Test("Registration is open only if only this machine can connect")
    func registration() throws {
        #expect(try configuration("listen = 192.0.2.1:443").registration == .token)
        #expect(try configuration("listen = 127.0.0.9:1\nlisten = unix:/a").registration == .open)
        #expect(try configuration("registration = token").registration == .token)
        let names = ["http://localhost:80/x", "https://127.0.0.1", "https://a.localhost"]
        for name in names {
            #expect(try configuration("base-url = \(name)").registration == .open, "\(name)")
        }
        let others = [
            "listen = 127.0.0.1:1 proxy-protocol",
            "listen = unix:/a trusted-proxies=127.0.0.1\nbase-url = http://localhost",
            "listen = 127.0.0.1:1\nlisten = http://127.0.0.1:2 trusted-proxies=127.0.0.1",
            "base-url = https://push.example.org", "alias = https://push.example.org",
        ]
        for other in others {
            #expect(try configuration(other).registration == .token, "\(other)")
            #expect(failure("registration = open\n" + other)?.contains("lets everybody") == true)
            let open = "registration = open\nregistration-open-to-everyone = yes\n" + other
            #expect(try configuration(open).registration == .open)
        }
        let open = "listen = 192.0.2.1:443\nregistration = open"
        #expect(failure(open)?.hasPrefix("b.conf:2: registration = open lets everybody") == true)
        #expect(
            try configuration(open + "\nregistration-open-to-everyone = yes").registration == .open)
    }

    @Test("Metrics on other addresses need a token")
    func metrics() throws {
        let open = "metrics-listen = http://192.0.2.1:9 trusted-proxies=192.0.2.2"
        #expect(
            failure(open)?.hasPrefix("b.conf:1: metrics-listen can be reached from other machines")
                == true)
        let closed = try configuration(open + "\nmetrics-token-file = /t")
        #expect(closed.values[.metricsTokenFile] == "/t")
        #expect(try configuration("metrics-listen = unix:/m").metricsListener?.isLocal == true)
    }

    @Test("Folders come from systemd, from XDG, or from home")
    func folders() throws {
        let systemd = try configuration(
            environment: ["STATE_DIRECTORY": "/var/lib/b", "CREDENTIALS_DIRECTORY": "/run/c"])
        #expect(systemd.state == "/var/lib/b" && systemd.keys == "/run/c")
        let xdg = try configuration(environment: ["XDG_STATE_HOME": "/s", "HOME": "/h"])
        #expect(xdg.state == "/s/bellwire" && xdg.keys == "/s/bellwire/keys")
        let relative = try configuration(environment: ["XDG_STATE_HOME": "s", "HOME": "/h"])
        #expect(relative.state == "/h/.local/state/bellwire")
        #expect(throws: ConfigurationError.self) { try configuration(environment: [:]) }
        let path = ConfigurationInput.defaultPath
        #expect(path(["HOME": "/h"], false) == "/h/.config/bellwire/bellwire.conf")
        #expect(path(["XDG_CONFIG_HOME": "/c"], false) == "/c/bellwire/bellwire.conf")
        #expect(path([:], false) == nil)
        #expect(path(["HOME": "/h"], true) == "/etc/bellwire/bellwire.conf")
    }

    @Test("A public name needs a certificate, also if it is the machine's own")
    func certificate() throws {
        func missing(_ host: String, on machine: String) throws -> String? {
            let text = "listen = 127.0.0.1:8443\nbase-url = https://\(host):8443"
            return try configuration(text).nameWithoutCertificate(on: machine)
        }
        for host in ["push.example.org", "arpa.example"] {
            #expect(try missing(host, on: host) == host)
            #expect(try missing(host, on: "nas") == host)
        }
        for host in ["nas", "nas.local", "nas.lan", "nas.home.arpa", "nas.internal"] {
            #expect(try missing(host, on: host.uppercased()) == nil)
            #expect(try missing(host, on: "other") == host)
        }
    }

    @Test("Without base-url the name follows from the port that was bound")
    func derivedName() throws {
        let none = try configuration()
        #expect(none.baseURL(tlsPort: 8443, plainPort: 80)?.description == "https://localhost:8443")
        #expect(none.baseURL(tlsPort: nil, plainPort: 80)?.description == "http://localhost")
        #expect(none.baseURL(tlsPort: nil, plainPort: nil) == nil)
        let said = try configuration("base-url = https://a.example/")
        #expect(said.baseURL(tlsPort: 1, plainPort: nil)?.description == "https://a.example")
    }

    @Test("Passed sockets count as addresses, and open no service to the network")
    func handedOver() throws {
        let everywhere = ListenAddress(.tls(IPAddress(high: 0, low: 0), port: 443))
        func configuration(_ text: String) throws -> ServerConfiguration {
            var input = ConfigurationInput(
                environment: ["HOME": "/home/a"],
                file: .init(path: "b.conf", bytes: Array(text.utf8)))
            input.handedOver = [everywhere]
            return try ServerConfiguration(input)
        }
        let given = try configuration("")
        #expect(given.listeners == [everywhere] && given.registration == .token)
        #expect(!given.listensAsUsual)
        let said = try configuration("listen = [::]:443 proxy-protocol")
        #expect(said.listeners.count == 1 && said.listeners[0].expectsProxyProtocol)
        let both = try configuration("listen = 127.0.0.1:8443")
        #expect(both.listeners.count == 2 && both.registration == .token)
        #expect(throws: ConfigurationError.self) { try configuration("registration = open") }
    }

    @Test("What topics keep is a word and a length of time")
    func history() throws {
        #expect(failure("history = off\nhistory-for = 12h") == nil)
        #expect(failure("history = everything")?.contains("is not topics or all or off") == true)
        for wrong in ["30", "0d", "soon", "-1d"] {
            #expect(
                failure("history-for = \(wrong)")?.contains("is not a length of time") == true)
        }
        #expect(failure("history-for = 60w")?.contains("is too long") == true)
        for (text, seconds) in [("90s", 90), ("2h", 7_200), ("1w", 604_800)] {
            #expect(try TimeSpan.seconds(text) == seconds)
        }
        #expect(TimeSpan.text(604_800) == "7d" && TimeSpan.text(90) == "90s")
    }

    @Test("A reload applies all settings but those that need a restart")
    func changes() throws {
        let before = try configuration("listen = 127.0.0.1:1\ntls-certificate = a\ntls-key = b")
        let after = try configuration(
            "state = /s\ntls-certificate = c\ntls-key = d\nlocal-users = yes\nkeys = /k")
        #expect(after.keysForNextStart(after: before) == ["state", "keys"])
        #expect(before.keysForNextStart(after: before).isEmpty)
        // There is no certificate to use instead.
        let without = try configuration("listen = 127.0.0.1:1")
        #expect(without.keysForNextStart(after: before) == ["tls-certificate", "tls-key"])
        #expect(before.keysForNextStart(after: without).isEmpty)
    }

    @Test("Open listeners stay if their place does; others are closed, and new ones opened")
    func listenerChanges() throws {
        func listeners(_ texts: String...) throws -> [ListenAddress] {
            try texts.map { try ListenAddress($0) }
        }
        let open = try listeners("127.0.0.1:1", "http://127.0.0.1:2", "unix:/a", "127.0.0.1:0")
        #expect(ListenerChanges(from: open, to: open).opened.isEmpty)
        #expect(ListenerChanges(from: open, to: open).closed.isEmpty)
        #expect(ListenerChanges(from: open, to: open).kept.map(\.index) == [0, 1, 2, 3])
        let wanted = try listeners(
            "unix:/b", "http://127.0.0.1:1 trusted-proxies=127.0.0.1", "127.0.0.1:0", "127.0.0.1:0")
        let changes = ListenerChanges(from: open, to: wanted)
        #expect(changes.opened == [wanted[0], wanted[3]])
        #expect(changes.kept.map(\.index) == [0, 3])
        #expect(changes.kept.map(\.address) == [wanted[1], wanted[2]])
        #expect(changes.closed == [1, 2])
    }

    @Test("A reload closes registration at once, but opens it only for unchanged listeners")
    func registrationChanges() throws {
        let here = try configuration("listen = 127.0.0.1:1")
        let closed = try configuration("listen = 127.0.0.1:1\nregistration = token")
        let elsewhere = try configuration("listen = 127.0.0.1:2")
        let proxied = try configuration("listen = 127.0.0.1:1 proxy-protocol")
        #expect(closed.keysForNextStart(after: here).isEmpty)
        func mode(
            _ wanted: ServerConfiguration, _ running: ServerConfiguration, _ now: RegistrationMode
        ) -> RegistrationMode {
            wanted.registration(serving: running.listeners, under: running.baseURL, now: now)
        }
        #expect(mode(closed, here, .open) == .token)
        #expect(mode(here, here, .token) == .open)
        #expect(mode(elsewhere, here, .open) == .open)
        #expect(mode(proxied, here, .open) == .token)
        // The server still runs behind the proxy, or under a public name.
        #expect(mode(here, proxied, .token) == .token)
        let named = try configuration("listen = 127.0.0.1:1\nbase-url = https://push.example")
        #expect(mode(here, named, .token) == .token)
    }

    @Test(
        "Each listener says who may connect and subscribe",
        arguments: [
            ("listen = 127.0.0.1:1", "programs on this machine can connect, and all of them may"),
            (
                "listen = unix:/a\nbase-url = http://localhost:1",
                "have access to the folder of this socket can"
            ),
            (
                "listen = 127.0.0.1:1\nregistration = token",
                "programs on this machine can connect, and only devices added"
            ),
            (
                "listen = http://127.0.0.1:1 trusted-proxies=127.0.0.1",
                "everybody who reaches the proxy in front of this server can connect, and only devices"
            ),
            (
                "listen = [::]:443",
                "everybody who reaches this address over the network can connect,"
            ),
            (
                "base-url = https://push.example\nregistration = open\n"
                    + "registration-open-to-everyone = yes",
                "clients that a proxy forwards from https://push.example, can connect, and EVERYBODY may"
            ),
        ])
    func entrances(text: String, sentence: String) throws {
        let entrance = try #require(try configuration(text).entrances.first)
        #expect(entrance.sentence.contains(sentence), "\(entrance.sentence)")
        #expect(entrance.isOpenToStrangers == sentence.contains("EVERYBODY"))
    }

    @Test("The configuration is shown with sources and without passwords")
    func rendering() throws {
        let configuration = try configuration(
            """
            store = nats://user:pass@nats.example:4222
            node = a
            listen = 127.0.0.1:1
            listen = 127.0.0.1:2
            """)
        let lines = configuration.text.split(separator: "\n").map(String.init)
        #expect(lines.contains("store = nats://<secret>@nats.example:4222  # b.conf:1"))
        #expect(lines.contains("listen = 127.0.0.1:2  # b.conf:4"))
        #expect(lines.contains("registration = open  # default"))
        #expect(lines.contains("state = /home/a/.local/state/bellwire  # default"))
        #expect(lines.count == ConfigurationKey.all.count + 1)
        var writer = JSONWriter()
        configuration.write(to: &writer)
        let object = try JSONSerialization.jsonObject(with: Data(writer.bytes))
        let settings = object as? [[String: Any]]
        #expect(settings?.count == ConfigurationKey.all.count)
        #expect(settings?[0]["values"] as? [String] == ["127.0.0.1:1", "127.0.0.1:2"])
        #expect(!configuration.text.contains("pass") && !writer.text.contains("pass"))
        #expect(failure("store = nats:/user:pass@x")?.contains("pass") == false)
    }
}

@Suite("Addresses to listen on")
struct ListenAddressTests {
    @Test(
        "Each form",
        arguments: [
            ("127.0.0.1:8443", ListenAddress.Endpoint.tls(IPAddress(v4: 0x7F00_0001), port: 8443)),
            ("[::1]:0", .tls(IPAddress(high: 0, low: 1), port: 0)),
            ("[0:0::1]:443", .tls(IPAddress(high: 0, low: 1), port: 443)),
            ("0.0.0.0:443", .tls(IPAddress(v4: 0), port: 443)),
            ("http://127.0.0.1:80", .plain(IPAddress(v4: 0x7F00_0001), port: 80)),
            ("unix:/run/bellwire/a b".replacing(" ", with: "-"), .unix(path: "/run/bellwire/a-b")),
        ])
    func forms(text: String, endpoint: ListenAddress.Endpoint) throws {
        #expect(try ListenAddress(text).endpoint == endpoint)
    }

    @Test("Proxy settings of an address")
    func proxies() throws {
        let address = try ListenAddress(
            "http://192.0.2.1:80  proxy-protocol trusted-proxies=192.0.2.2,2001:db8::1")
        #expect(address.expectsProxyProtocol && !address.isLocal)
        #expect(address.trustedProxies.map(\.description) == ["192.0.2.2", "2001:db8::1"])
    }

    @Test(
        "What is refused",
        arguments: [
            "", "443", "localhost:443", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "::1:443",
            "[::1]443", "[127.0.0.1:443", "unix:", "unix:/", "unix:relative",
            "unix:/" + String(repeating: "a", count: 107), "http://192.0.2.1:80",
            "http://192.0.2.1:80 proxy-protocol", "127.0.0.1:1 proxy", "https://127.0.0.1:1",
            "127.0.0.1:1 trusted-proxies=", "127.0.0.1:1 trusted-proxies=a,b",
            "127.0.0.1:1 trusted-proxies=192.0.2.1,", "http://127.0.0.1:1/",
        ])
    func refused(text: String) {
        #expect(throws: ConfigurationError.self) { try ListenAddress(text) }
    }
}

@Suite("The base URL")
struct BaseURLTests {
    @Test(
        "It is normalized",
        arguments: [
            ("https://push.example.net", "https://push.example.net"),
            ("https://push.example.net/", "https://push.example.net"),
            ("HTTPS://Push.Example.NET:443//", "https://push.example.net"),
            ("https://push.example.net/sub/path/", "https://push.example.net/sub/path"),
            ("https://[0:0::1]:8443/a", "https://[::1]:8443/a"),
            ("http://localhost:80/", "http://localhost"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("http://[::1]:1", "http://[::1]:1"),
            ("https://a.example/%20~", "https://a.example/%20~"),
        ])
    func canonical(text: String, form: String) throws {
        #expect(try BaseURL(text).description == form)
    }

    @Test(
        "What is refused",
        arguments: [
            "", "push.example.net", "ftp://a.example", "https://", "http://push.example.net",
            "http://127.0.0.1.example", "https://a.example/a,b", "https://a,b.example",
            "https://a.example/?x", "https://a.example?x", "https://a.example/#x",
            "https://user@a.example", "https://a.example/a b", "https://a.example/ä",
            "https://a.example\\b", "https://a.example/\"",
        ])
    func refused(text: String) {
        #expect(throws: ConfigurationError.self) { try BaseURL(text) }
    }

    @Test("Endpoints have at most 1,000 bytes")
    func length() {
        let start = "https://a.example/"
        let room = 1000 - BaseURL.endpointTail - start.utf8.count
        #expect(throws: Never.self) { try BaseURL(start + String(repeating: "a", count: room)) }
        #expect(throws: ConfigurationError.self) {
            try BaseURL(start + String(repeating: "a", count: room + 1))
        }
    }
}
