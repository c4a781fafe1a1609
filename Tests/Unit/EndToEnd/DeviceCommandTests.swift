import Base
import Foundation
import TestSupport
import Testing

@Suite("bellwire device")
struct DeviceCommandTests {
    private let fixture: ServeFixture

    init() throws { fixture = try ServeFixture() }

    @Test("A device is added, listed and removed, and its secret is shown once")
    func lifeOfDevice() throws {
        let server = try fixture.start()
        let added = try fixture.run(["device", "add", "laptop", "--json"])
        let device = try JSONSerialization.jsonObject(with: Data(added.output.utf8))
        let members = device as? [String: Any] ?? [:]
        let bearer = members["bearer"] as? String ?? ""
        #expect(added.exitCode == 0 && bearer.count == 27)
        #expect(members["owner"] as? String == "admin")
        let place = "localhost:\(server.port)/u/\(bearer)"
        #expect(members["websocket"] as? String == "wss://\(place)")
        #expect(members["url"] as? String == "https://\(place)")
        #expect(try upgrade(server, bearer).hasSuffix(" 101"))

        let list = try fixture.run(["device", "list"])
        let seen = try Regex(#"1  laptop  admin  (connected|last seen \d{4}-\d\d-\d\d .*)\n"#)
        #expect(list.output.wholeMatch(of: seen) != nil, "\(list.output)")
        #expect(try !fixture.run(["device", "list", "--json"]).output.contains(bearer))
        #expect(try fixture.run(["device", "remove", "laptop"]).output == "removed laptop\n")
        #expect(try fixture.run(["device", "remove", "laptop"]).exitCode == 3)
        #expect(try fixture.run(["device", "list"]).output.hasPrefix("no devices"))
        #expect(try upgrade(server, bearer).hasSuffix(" 401"))
    }

    @Test("Each address is on a line of its own, below what to do with it")
    func addresses() throws {
        let server = try fixture.start([
            "--listen", "127.0.0.1:0", "--base-url", "https://push.example.org/below",
        ])
        func add(_ words: String...) throws -> (output: String, after: (String) throws -> String) {
            let output = try fixture.run(["device", "add"] + words).output
            let lines = output.split(separator: "\n").map(String.init)
            for line in lines where !line.contains("/u/") { #expect(line.count <= 80, "\(line)") }
            return (
                output,
                { words in
                    let index = try #require(lines.firstIndex { $0.contains(words) }, "\(words)")
                    return lines[index + 1].trimmingCharacters(in: .whitespaces)
                }
            )
        }
        let desk = try add("desk")
        let bearer = try desk.after("bearer secret")
        #expect(bearer.count == 27)
        #expect(
            try desk.after("~/.config/bellwire/receivers")
                == "wss://push.example.org/below/u/" + bearer)
        // What opens everything does not go into the settings of a browser or a phone.
        #expect(!desk.output.contains("serverURL") && !desk.output.contains("https://"))
        let phone = try add("phone", "--receive-only")
        let address = try phone.after("KUnifiedPush")
        #expect(address.hasPrefix("https://push.example.org/below/u/"))
        #expect(try phone.after("dom.push.serverURL") == "wss" + address.dropFirst(5))
        #expect(try phone.after("Sunup on a phone") == address)
        // The picture has the address for the phone.
        let picture = try #require(QRCode(Array(address.utf8))).text
        #expect(phone.output.hasSuffix("\n\n" + picture))
        #expect(!phone.output.contains("bearer") && !phone.output.contains("Only this machine"))
        #expect(server.end() == 0)
        let here = try fixture.start()
        let local = try fixture.run(["device", "add", "laptop"]).output
        #expect(local.contains("\nOnly this machine reaches this address. Set base-url"))
        #expect(here.end() == 0)
    }

    @Test("A device that can only receive subscribes, and the API refuses it")
    func receiveOnly() throws {
        var server = try fixture.start()
        let added = try ServeFixture.object(
            fixture.run(["device", "add", "phone", "--receive-only", "--json"]).output)
        let bearer = try #require(added["bearer"] as? String)
        #expect(added["receive_only"] as? Bool == true)
        #expect(try fixture.run(["device", "add", "desk"]).exitCode == 0)
        // Also after a restart.
        for _ in 0..<2 {
            #expect(try upgrade(server, bearer).hasSuffix(" 101"))
            for path in ["registrations", "pending?registration=x", "engine?app=a&account=b"] {
                let answer = try fixture.curl([
                    "-H", "Authorization: Bearer " + bearer, server.baseURL + "/api/v1/" + path,
                ])
                #expect(answer.hasSuffix(" 403") && answer.contains(#""errno":1029"#), "\(answer)")
            }
            let list = try fixture.run(["device", "list"]).output
            #expect(list.contains(/1  phone  admin  .*, receives only\n/), "\(list)")
            #expect(list.contains(/2  desk +admin  never seen\n/), "\(list)")
            #expect(server.end() == 0)
            server = try fixture.start()
        }
        let devices = try ServeFixture.object(fixture.run(["device", "list", "--json"]).output)
        let flags = (devices["devices"] as? [[String: Any]])?.map { $0["receive_only"] as? Bool }
        #expect(flags == [true, nil])
        #expect(server.end() == 0)
    }

    @Test("A device is shown as connected while it is, and later with the time when it was here")
    func presence() throws {
        let server = try fixture.start()
        let added = try ServeFixture.object(
            fixture.run(["device", "add", "laptop", "--json"]).output)
        func listed() throws -> [String: Any] {
            let list = try ServeFixture.object(fixture.run(["device", "list", "--json"]).output)
            return try #require((list["devices"] as? [[String: Any]])?.first)
        }
        let new = try listed()
        #expect(new["connected"] as? Bool == false && new["last_seen"] == nil)
        let client = try TLSClient(port: server.port)
        try client.upgrade("/u/\(added["bearer"] as? String ?? "")")
        let list = try fixture.run(["device", "list"])
        #expect(list.output == "1  laptop  admin  connected\n")
        #expect(try listed()["connected"] as? Bool == true)
        #expect(server.end() == 0)
        let second = try fixture.start()
        let seen = try #require(try listed()["last_seen"] as? Int)
        #expect(abs(seen - Int(Date().timeIntervalSince1970)) < 600)
        let text = try fixture.run(["device", "list"]).output
        #expect(text.hasPrefix("1  laptop  admin  last seen "), "\(text)")
        #expect(second.end() == 0)
    }

    @Test("A device name is unique for each owner; an ambiguous one is not removed")
    func names() throws {
        let server = try fixture.start()
        #expect(try fixture.run(["device", "add", "phone"]).exitCode == 0)
        let again = try fixture.run(["device", "add", "phone"])
        #expect(
            again.exitCode == 3 && again.errors.contains("has a device or a token with that name"))
        #expect(try fixture.run(["device", "add", "phone", "--owner", "uid:7"]).exitCode == 0)
        #expect(try fixture.run(["device", "remove", "phone"]).exitCode == 2)
        #expect(try fixture.run(["device", "remove", "3"]).exitCode == 0)
        #expect(try fixture.run(["device", "list"]).output == "1  phone  admin  never seen\n")
        #expect(try fixture.run(["device", "add", "a\u{1B}[2J"]).exitCode == 3)
        #expect(server.end() == 0)
    }

    @Test("No secret reaches the log, whatever is requested")
    func noSecrets() throws {
        let server = try fixture.start()
        let added = try fixture.run(["device", "add", "laptop", "--json"])
        let device = try JSONSerialization.jsonObject(with: Data(added.output.utf8))
        let bearer = (device as? [String: Any])?["bearer"] as? String ?? ""
        #expect(try upgrade(server, bearer).hasSuffix(" 101"))
        #expect(try upgrade(server, bearer + "x").hasSuffix(" 401"))
        let requests = [
            ["/wpush/v1/TOKEN-\(bearer)", "-d", "BODY-\(bearer)", "-H", "TTL: 1"],
            ["/wpush/v2/TOKEN-\(bearer)", "-X", "PUT"], ["/m/MESSAGE-\(bearer)", "-X", "DELETE"],
            ["/u/\(bearer)?q=\(bearer)"], ["/\(bearer)", "-H", "Authorization: Bearer \(bearer)"],
            ["/health", "-H", "Transfer-Encoding: \(bearer)"],
        ]
        for request in requests {
            let url = server.baseURL + request[0]
            #expect(try !fixture.curl([url] + request.dropFirst()).hasSuffix(" 000"))
        }
        server.signal(SIGHUP)
        #expect(server.hasSaid("event=configuration-read"))
        #expect(server.end() == 0)
        let master = try String(
            contentsOfFile: fixture.state + "/keys/master.json", encoding: .utf8)
        let key = try JSONDecoder().decode([String: String].self, from: Data(master.utf8))["key"]
        for secret in [bearer, key ?? "", "TOKEN-", "BODY-", "MESSAGE-"] {
            #expect(!secret.isEmpty && !server.errors.contains(secret))
            #expect(!server.output.contains(secret))
        }
    }

    @Test("Without a server there is a hint")
    func noServer() throws {
        let outcome = try fixture.run(["device", "list"])
        #expect(outcome.exitCode == 4)
        #expect(outcome.errors.contains("no server answers at \(fixture.state)/control.sock"))
        #expect(outcome.errors.contains("hint: start bellwire serve"))
        let server = try fixture.start()
        _ = server.end(by: SIGKILL)
        #expect(try fixture.run(["device", "list"]).errors.contains("no server answers"))
    }

    @Test("Another user has rights only if allowed, and only to its own devices")
    func otherUsers() throws {
        guard geteuid() == 0 else { return }
        let (server, folder) = try fixture.startForUsers(areAllowed: false)
        #expect(try asUser(["list"], folder).contains("this user has no rights here"))
        #expect(server.end() == 0)
        let (open, _) = try fixture.startForUsers()
        #expect(try fixture.run(["device", "add", "ours", "--state", folder]).exitCode == 0)
        #expect(try asUser(["add", "his", "--json"], folder).contains(#""owner":"uid:23456""#))
        #expect(try asUser(["list"], folder) == "2  his  uid:23456  never seen\n")
        #expect(try asUser(["remove", "1"], folder).contains("there is no device 1"))
        #expect(try asUser(["add", "x", "--owner", "admin"], folder).contains("no rights"))
        #expect(open.end() == 0)
    }

    private func asUser(_ arguments: [String], _ folder: String) throws -> String {
        try fixture.runAsUser(["device"] + arguments, folder)
    }

    private func upgrade(_ server: ServerProcess, _ bearer: String) throws -> String {
        try fixture.curl([
            "-m", "1", "--http1.1", "-o", "/dev/null", "-H", "Connection: Upgrade",
            "-H", "Upgrade: websocket", "-H", "Sec-WebSocket-Version: 13",
            "-H", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            "\(server.baseURL)/u/\(bearer)",
        ]).trimmingCharacters(in: .newlines)
    }
}
