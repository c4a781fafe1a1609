import Foundation
import TestSupport
import Testing

@Suite("bellwire export")
struct ExportCommandTests {
    private let fixture: ServeFixture

    init() throws { fixture = try ServeFixture() }

    @Test("What an owner has is written into a new file for its caller only, or printed")
    func file() throws {
        let server = try fixture.startInClear()
        #expect(try fixture.run(["device", "add", "desk", "--owner", "ann"]).exitCode == 0)
        let made = try ServeFixture.object(
            fixture.run(["register", "--app", "telegram", "--account", "me", "--json"]).output)
        let text =
            #"{"data":{"loc_key":"MESSAGE_TEXT","loc_args":["Bob","hello from Bob"],"#
            + #""custom":{"from_id":"1","msg_id":"1"}}}"#
        let sent = try fixture.run(["send", "--to", fixture.subscription(made), text])
        #expect(sent.exitCode == 0, "\(sent.errors)")

        let file = fixture.home.file("admin.json")
        let exported = try fixture.run(["export", "--owner", "admin", file])
        #expect(exported.output == "exported admin to \(file)\n" && exported.exitCode == 0)
        let rights = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]
        #expect(rights as? Int == 0o600)
        let document = try String(contentsOfFile: file, encoding: .utf8)
        let root = try ServeFixture.object(document)
        #expect(root["format"] as? String == "bellwire export")
        let messages = try #require(root["messages"] as? [[String: Any]])
        #expect(messages.first?["body"] as? String == Data(text.utf8).base64EncodedString())
        #expect(document.contains("hello from Bob"))
        for secret in try secrets(of: made) {
            #expect(!document.contains(secret), "\(secret)")
        }
        let again = try fixture.run(["export", "--owner", "admin", file])
        #expect(again.exitCode == 1 && again.errors.contains("\(file) exists"))
        #expect(try String(contentsOfFile: file, encoding: .utf8) == document)

        let printed = try fixture.run(["export", "--device", "desk"])
        let device = try ServeFixture.object(printed.output)
        let names = (device["devices"] as? [[String: Any]])?.map { $0["name"] as? String }
        #expect(names == ["desk"] && device["owner"] as? String == "ann")
        #expect(!printed.output.contains("hello"))
        let json = try fixture.run(["export", "--owner", "ann", file + "2", "--json"])
        #expect(try ServeFixture.object(json.output)["file"] as? String == file + "2")
        #expect(server.end() == 0)
    }

    /// What lets somebody push to a registration, decrypt for it, or act for it.
    private func secrets(of made: [String: Any]) throws -> [String] {
        let endpoint = try #require(made["endpoint"] as? String)
        let keys = try #require(made["keys"] as? [String: String])
        return [String(endpoint.split(separator: "/").last ?? "")] + keys.values
    }

    @Test("Without a device or an owner, or of one that does not exist, nothing is written")
    func refused() throws {
        let server = try fixture.start()
        let file = fixture.home.file("none.json")
        for arguments in [[], [file], ["--owner", "ann", file, file]] {
            #expect(try fixture.run(["export"] + arguments).exitCode == 2)
        }
        for option in ["--owner", "--device"] {
            let outcome = try fixture.run(["export", option, "ann", file])
            #expect(outcome.exitCode == 3 && outcome.errors.contains("there is no"))
        }
        #expect(server.end() == 0)
        #expect(try fixture.run(["export", "--owner", "admin", file]).exitCode == 4)
        #expect(!FileManager.default.fileExists(atPath: file))
        #expect(!FileManager.default.fileExists(atPath: file + ".new"))
    }

    @Test("Other users export their own devices and themselves, and nobody else")
    func otherUsers() throws {
        guard geteuid() == 0 else { return }
        let (server, folder) = try fixture.startForUsers()
        #expect(try fixture.run(["device", "add", "ours", "--state", folder]).exitCode == 0)
        #expect(
            try fixture.runAsUser(["device", "add", "his"], folder).contains("may connect"))
        for (arguments, refusal) in [
            (["--device", "ours"], "there is no device ours"),
            (["--device", "1"], "there is no device 1"),
            (["--owner", "admin"], "there is no owner admin"),
        ] {
            let said = try fixture.runAsUser(["export"] + arguments, folder)
            #expect(said.contains(refusal) && !said.contains("bellwire export"), "\(said)")
        }
        let own = try ServeFixture.object(
            fixture.runAsUser(["export", "--owner", "uid:23456"], folder))
        let names = (own["devices"] as? [[String: Any]])?.map { $0["name"] as? String }
        #expect(names == ["his"])
        // The server rests between the exports of users.
        let soon = try fixture.runAsUser(["export", "--device", "his"], folder)
        #expect(soon.contains("another export is under way, or has just ended"), "\(soon)")
        #expect(
            try fixture.run(["export", "--device", "his", "--state", folder]).output
                .contains(#""name":"his""#))
        #expect(server.end() == 0)
    }

    @Test("The parts of an export go only to whom it belongs, one export at a time")
    func parts() throws {
        guard geteuid() == 0 else { return }
        let (server, folder) = try fixture.startForUsers()
        #expect(try fixture.run(["device", "add", "ours", "--state", folder]).exitCode == 0)
        func ask(_ path: String, asUser: Bool = false) throws -> String {
            let curl = [
                "/usr/bin/curl", "-sS", "-m", "10", "--unix-socket", folder + "/control.sock",
                "-X", "POST", "-w", " %{http_code}", "http://localhost/api/v1/" + path,
            ]
            let user = ["--reuid=" + (asUser ? "23456" : "0"), "--regid=0", "--clear-groups"]
            return try ServeFixture.output("/usr/bin/setpriv", user + curl)
        }
        #expect(try ask("devices/1/export", asUser: true).hasSuffix(" 404"))
        #expect(try ask("owners/1/export", asUser: true).hasSuffix(" 404"))
        #expect(try ask("devices/1/export") == #"{"export":1} 201"#)
        #expect(try ask("exports/1", asUser: true).hasSuffix(" 404"))
        #expect(try ask("exports/2").hasSuffix(" 404"))
        #expect(try ask("owners/1/export").hasSuffix(" 503"))
        #expect(try ask("exports/1").contains(#""name":"ours""#))
        #expect(try ask("exports/1") == " 204")
        #expect(try ask("exports/1").hasSuffix(" 404"))
        // Nothing that is forgotten is handed out afterwards.
        #expect(try ask("devices/1/export") == #"{"export":2} 201"#)
        #expect(try ask("devices/1/forget") == " 204")
        #expect(try ask("exports/2").hasSuffix(" 404"))
        #expect(server.end() == 0)
    }
}
