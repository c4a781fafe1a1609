import Base
import Foundation
import TestSupport
import Testing

@Suite("bellwire engine --database")
struct EngineCommandTests {
    private let folder = NSTemporaryDirectory() + "bellwire-engine-\(UUID().uuidString)"

    private func run(_ lines: [String]) throws -> [String] {
        let outcome = try Program.run(
            ["engine", "--database", folder], input: Data(lines.map { $0 + "\n" }.joined().utf8))
        #expect(outcome.exitCode == 0 && outcome.errors.isEmpty)
        return outcome.output.split(separator: "\n").map(String.init)
    }

    private static let on =
        #"{"@type":"setOption","name":"notification_group_count_max","value":{"@type":"optionValueInteger","value":"5"}}"#

    private static func push(_ id: Int) -> String {
        #"{"@type":"processPushNotification","payload":"{\"data\":{\"loc_key\":\"MESSAGE_TEXT\",\"loc_args\":[\"Ann\",\"hi \#(id)\"],\"custom\":{\"from_id\":\"1\",\"msg_id\":\"\#(id)\"}}}","@extra":\#(id)}"#
    }

    @Test("Answers come after their updates and carry the client's mark")
    func answers() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let lines = try run([
            Self.on, Self.push(11), #"{"@type":"nonsense","@extra":{"a":[1]}}"#, "x",
            #"{"@type":"getPushReceiverId","payload":"{\"user_id\":5}","@extra":"e"}"#,
        ])
        let group = try #require(lines.firstIndex { $0.contains("updateNotificationGroup") })
        let answer = try #require(lines.firstIndex(of: #"{"@type":"ok","@extra":11}"#))
        #expect(group < answer)
        #expect(
            lines.suffix(3) == [
                #"{"@type":"error","code":400,"message":"Failed to parse JSON object as TDLib request: Unknown class \"nonsense\"","@extra":{"a":[1]}}"#,
                #"{"@type":"error","code":400,"message":"Failed to parse JSON object"}"#,
                #"{"@type":"pushReceiverId","id":"5","@extra":"e"}"#,
            ])
    }

    @Test("Answered requests survive a kill under the same ids")
    func killed() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let process = try RunningProcess(
            Program.path, ["engine", "--database", folder], hasInput: true)
        let lines = [Self.on] + (11...15).map(Self.push)
        try process.input.write(
            contentsOf: Data(lines.map { $0 + "\n" }.joined().utf8))
        var heard = Data()
        while !String(decoding: heard, as: UTF8.self).contains(#""@extra":15}"#) {
            heard += process.output.availableData
        }
        process.end(by: SIGKILL)

        let start = try run([#"{"@type":"close"}"#])
        let active = try JSONDocument(Array(try #require(start.first).utf8)).root
        #expect(active["@type"]?.text == "updateActiveNotifications")
        let group = try #require(active["groups"]?.elements.first)
        #expect(group["total_count"]?.integer == 5)
        #expect(
            group["notifications"]?.elements.map { $0["id"]?.integer } == [1, 2, 3, 4, 5])
    }

    @Test("A user's choice is repeated until confirmed; a fetch update is sent once")
    func owed() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let close = #"{"@type":"close"}"#
        let first = try run([
            Self.on, Self.push(11), #"{"@type":"processPushNotification","payload":"{}"}"#,
            #"{"@type":"bellwire.invokeNotificationAction","notification_group_id":1,"notification_id":1,"action":"reply","text":"yes"}"#,
        ])
        #expect(first.contains { $0.contains(#""reason":"empty""#) })
        // The input ended before the last update was confirmed, so it comes again.
        _ = try run([close])
        let second = try run([#"{"@type":"bellwire.actionTaken","id":"2"}"#, close])
        #expect(!second.contains { $0.contains(#""reason":"empty""#) })
        #expect(second.contains { $0.contains(#""id":"2""#) && $0.contains(#""text":"yes""#) })
        #expect(try !run([close]).contains { $0.contains("updateNotificationAction") })
    }

    @Test("No file contains a message unencrypted")
    func sealed() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = try run([Self.on, Self.push(4711)])
        let data = try contents(ofFolder: folder)
        #expect(!data.isEmpty)
        #expect(data.range(of: Data("hi 4711".utf8)) == nil)
    }

    /// A payload with its secret that TDLib can open.
    private struct Sealed: Decodable {
        struct Vector: Decodable {
            let name: String
            let auth_key: String
            let auth_key_id: String
            let p: String
        }

        let vectors: [Vector]
    }

    private static func sealed(_ name: String) throws -> (secret: String, vector: Sealed.Vector) {
        let vectors = try Vectors.load(Sealed.self, from: "mtproto-push.json").vectors
        let vector = try #require(vectors.first { $0.name == name })
        let key = Array(vector.auth_key)
        let bytes = stride(from: 0, to: key.count, by: 2).compactMap {
            UInt8(String(key[$0...$0 + 1]), radix: 16)
        }
        return (Base64URL.text(bytes.span), vector)
    }

    @Test("Payloads under the secret of a registered token are opened, also after a restart")
    func encrypted() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (secret, vector) = try Self.sealed("text, minimal padding")
        let flipped = try Self.sealed("last byte of ciphertext flipped").vector
        let push = { (p: String) in
            #"{"@type":"processPushNotification","payload":"{\"p\":\"\#(p)\"}"}"#
        }
        let lines = try run([
            #"{"@type":"bellwire.setMe","user_id":777}"#, Self.on,
            #"{"@type":"registerDevice","secret":"\#(secret)","device_token":{"@type":"deviceTokenWebPush","endpoint":"https://a","p256dh_base64url":"AA","auth_base64url":"AA"}}"#,
            push(flipped.p), Self.push(11),
        ])
        #expect(lines.contains(#"{"@type":"pushReceiverId","id":"\#(vector.auth_key_id)"}"#))
        #expect(lines.contains { $0.contains("\"secret\":\"\(secret)\"") })
        #expect(
            lines.contains(
                #"{"@type":"error","code":400,"message":"Failed to decrypt push payload"}"#))
        #expect(lines.last == #"{"@type":"ok","@extra":11}"#)
        #expect(
            !lines.contains { $0.contains("hi 11") }, "what comes without the secret is not shown")
        let again = try run([
            push(vector.p).replacing("processPushNotification", with: "bellwire.processPush")
        ])
        #expect(again.contains { $0.contains(#""text":"hello""#) })
        #expect(
            again.contains { $0.contains("\"secret\":\"\(secret)\"") }, "asked for at each start")
    }

    @Test("A token for encrypted payloads gets a secret and keeps it")
    func drawn() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let register =
            #"{"@type":"registerDevice","device_token":{"@type":"deviceTokenFirebaseCloudMessaging","token":"t","encrypt":true}}"#
        // TDLib takes a number other than 0 for true.
        let likewise = register.replacing(#""encrypt":true"#, with: #""encrypt":"1""#)
        let lines = try run([likewise, register])
        let answers = lines.filter { $0.contains("pushReceiverId") }
        #expect(answers.count == 2 && answers[0] == answers[1])
        #expect(!answers[0].contains(#""id":"0""#))
        let asked = try #require(lines.first { $0.contains("register_device") })
        let secret = try JSONDocument(Array(asked.utf8)).root["secret"]?.text ?? ""
        #expect(Base64URL.decode(Array(secret.utf8).span)?.count == 256)
        let refused = try run([
            register.replacing("}}", with: #"},"secret":"AAAA"}"#)
        ])
        #expect(refused.last?.contains("Secret must be 256 bytes in base64url") == true)
    }

    @Test("Sentences are in the user's language if there is a table for it")
    func language() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let tables = folder + "-share/bellwire/lang"
        defer { try? FileManager.default.removeItem(atPath: folder + "-share") }
        try FileManager.default.createDirectory(
            atPath: tables, withIntermediateDirectories: true)
        try Data("MESSAGE_PHOTO\t{1} hat dir ein Foto geschickt\n".utf8)
            .write(to: URL(filePath: tables + "/de.tsv"))
        let push =
            #"{"@type":"processPushNotification","payload":"{\"loc_key\":\"MESSAGE_PHOTO\",\"loc_args\":[\"Ann\"],\"custom\":{\"from_id\":1,\"msg_id\":1}}"}"#
        let outcome = try Program.run(
            ["engine", "--database", folder], input: Data("\(Self.on)\n\(push)\n".utf8),
            environment: ["LC_ALL": "de_AT.UTF-8", "XDG_DATA_DIRS": folder + "-share"])
        #expect(outcome.output.contains(#""body":"Ann hat dir ein Foto geschickt""#))
    }

    @Test("A database of an earlier program is refused in one sentence")
    func earlier() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = try run([Self.on])
        let script = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute(sys.argv[2])"
        let said = try ServeFixture.output(
            "/usr/bin/python3", ["-c", script, folder + "/engine.db", "PRAGMA user_version = 1"])
        #expect(said.isEmpty)
        let outcome = try Program.run(["engine", "--database", folder], input: Data())
        #expect(
            outcome.errors == """
                bellwire: error: \(folder)/engine.db was written by an earlier bellwire, which this \
                version does not continue
                bellwire: hint: move the files engine.db* away, or restore a backup

                """)
        #expect(outcome.exitCode == 1 && outcome.output.isEmpty)
    }

    @Test("destroy forgets everything")
    func destroy() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let lines = try run([Self.on, Self.push(11), #"{"@type":"destroy"}"#])
        #expect(lines.contains { $0.contains("\"removed_notification_ids\":[1]") })
        let start = try run([])
        #expect(start.contains { $0.contains("updateActiveNotifications") } == false)
    }
}
