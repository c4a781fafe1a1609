import Foundation
import TestSupport
import Testing

@Suite("What a new user gets wrong, and is told")
struct FirstHourTests {
    private let fixture: ServeFixture
    private static let named = [
        "--listen", "127.0.0.1:0", "--base-url", "https://push.invalid:8443",
    ]

    init() throws { fixture = try ServeFixture() }

    @Test(
        "A mistyped command or option is answered with the nearest, and nonsense with none",
        arguments: [
            (["chekk"], "did you mean bellwire check?"),
            (["Device"], "did you mean bellwire device?"),
            (["serve", "--base_url", "x"], "did you mean --base-url?"),
            (["send", "--tittle=x"], "did you mean --title?"), (["frobnicate"], "hint: see"),
            (["version", "--frobnicate"], "hint: see"),
            (["device", "remov"], "did you mean bellwire device remove?"),
            (["topic", "frobnicate"], "hint: see bellwire topic --help"),
            (["topic", "add", "x", "--form", "y"], "did you mean --from?"),
        ])
    func nearest(_ words: [String], _ hint: String) throws {
        let outcome = try fixture.run(words)
        #expect(outcome.exitCode == 2 && outcome.errors.contains(hint), "\(outcome.errors)")
    }

    @Test(
        "A word that was a command of its own is answered with what it is called now",
        arguments: [
            ("hear", "topic add"), ("haer", "topic add"), ("list", "registration list"),
            ("show", "registration show"), ("rotate", "registration rotate"),
            ("revoke", "registration revoke"), ("chats", "account list"),
            ("mute", "account mute"), ("unmute", "account unmute"), ("pause", "account pause"),
            ("unpause", "account unpause"),
        ])
    func former(_ word: String, _ meant: String) throws {
        for words in [[word], [word, "--help"], [word, "builds", "--json"]] {
            let outcome = try fixture.run(words)
            #expect(outcome.exitCode == 2 && outcome.output.isEmpty)
            #expect(outcome.errors.hasPrefix("bellwire: error: unknown command \(word)\n"))
            #expect(outcome.errors.contains("did you mean bellwire \(meant)?"), "\(outcome.errors)")
        }
    }

    @Test(
        "A verb of another noun, or one that is called otherwise here, is answered with the right one",
        arguments: [
            (["registration", "hear", "x"], "did you mean bellwire topic add?"),
            (["topic", "pause", "x"], "did you mean bellwire account pause?"),
            (["account", "chats"], "did you mean bellwire account list?"),
            (["topic", "revoke", "x"], "did you mean bellwire topic remove?"),
            (["device", "revoke", "x"], "did you mean bellwire device remove?"),
            (["topic", "list", "--from", "github"], "see bellwire topic list --help"),
            (["account", "list", "--for", "1h"], "see bellwire account list --help"),
        ])
    func otherVerb(_ words: [String], _ hint: String) throws {
        let outcome = try fixture.run(words)
        #expect(outcome.exitCode == 2 && outcome.output.isEmpty)
        #expect(outcome.errors.contains(hint), "\(outcome.errors)")
    }

    @Test("A public name without a certificate: the log and check say how to get one")
    func noCertificate() throws {
        let server = try fixture.start(Self.named)
        #expect(server.hasSaid("event=certificate-missing"))
        #expect(server.end() == 0)
        #expect(server.errors.contains("certbot certonly --standalone -d push.invalid"))
        // The authority of localhost's certificate is of no use for that name.
        #expect(!server.errors.contains("to trust this server's development certificate"))
        #expect(!server.errors.contains("sudo cp"))
        let checked = try fixture.run(["check"] + Self.named)
        #expect(checked.exitCode == 0)
        #expect(checked.output.contains("there is no certificate for push.invalid"))
        #expect(checked.output.contains("tls-certificate = /etc/letsencrypt/live/push.invalid/"))
    }

    @Test("Nothing is missing on this machine alone, and behind a proxy that shows its own")
    func proxies() throws {
        for options in [
            ["--listen", "127.0.0.1:0"],
            Self.named.map { $0 == "127.0.0.1:0" ? $0 + " trusted-proxies=127.0.0.1" : $0 },
            Self.named.map { $0 == "127.0.0.1:0" ? "http://" + $0 : $0 },
        ] {
            let checked = try fixture.run(["check"] + options)
            #expect(checked.exitCode == 0 && !checked.output.contains("there is no certificate"))
        }
    }

    @Test("check names the next step, by what is there")
    func next() throws {
        func next(_ options: [String], bus: Bool = false) throws -> String {
            var fixture = fixture
            fixture.environment["DBUS_SESSION_BUS_ADDRESS"] = bus ? "unix:path=/nowhere" : ""
            fixture.environment["XDG_RUNTIME_DIR"] = ""
            let lines = try fixture.run(["check"] + options).output.split(separator: "\n")
            return String(lines.last ?? "")
        }
        let certificate = ["--listen", "http://127.0.0.1:0", "--base-url", "https://push.invalid"]
        #expect(try next([]).hasPrefix("next: this machine has no desktop, and base-url names"))
        #expect(try next([], bus: true).hasPrefix("next: run bellwire serve --desktop"))
        #expect(try next(certificate).hasSuffix("enable --now bellwire.socket bellwire"))
        let server = try fixture.start()
        #expect(try next([], bus: true).hasPrefix("next: run bellwire topic add NAME"))
        #expect(try next(certificate).hasPrefix("next: run bellwire device add NAME"))
        #expect(server.end() == 0)
    }

    @Test("Who begins an address with http gets a sentence about https")
    func plainHTTP() throws {
        let server = try fixture.start()
        let address = server.baseURL.replacingOccurrences(of: "https:", with: "http:")
        for options in [[], ["-d", "a message"]] {
            let answer = try fixture.curl(options + [address + "/"])
            #expect(answer.contains("begin the address with https://"), "\(answer)")
            #expect(answer.hasSuffix(" 503"))
        }
        #expect(server.end() == 0)
    }

    @Test("The link of bellwire ui is also a picture on a terminal, if a phone can come there")
    func picture() throws {
        let server = try fixture.start(Self.named)
        let command = "'\(Program.path)' ui --state '\(fixture.state)'"
        let shown = try ServeFixture.output("/usr/bin/script", ["-qec", command, "/dev/null"])
        #expect(shown.hasPrefix("https://push.invalid:8443/ui/login#"), "\(shown)")
        #expect(shown.contains("\u{1B}[97;40m"))
        #expect(try fixture.run(["ui"]).output.split(separator: "\n").count == 1)
        #expect(server.end() == 0)
        let here = try fixture.start()
        #expect(
            try !ServeFixture.output("/usr/bin/script", ["-qec", command, "/dev/null"])
                .contains("\u{1B}["))
        #expect(here.end() == 0)
    }

    @Test("The program starts without libnats, which only nodes of clusters need")
    func libraries() throws {
        let program = try Data(contentsOf: URL(filePath: Program.path))
        // The names of libraries that the linker noted end so.
        #expect(program.range(of: Data("libsqlite3.so.0\0".utf8)) != nil)
        #expect(program.range(of: Data("libnats.so.3.4\0".utf8)) == nil)
    }
}
