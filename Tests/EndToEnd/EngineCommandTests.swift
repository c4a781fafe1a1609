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
                #"{"@type":"error","code":400,"message":"Unknown class","@extra":{"a":[1]}}"#,
                #"{"@type":"error","code":400,"message":"Failed to parse JSON object"}"#,
                #"{"@type":"pushReceiverId","id":"5","@extra":"e"}"#,
            ])
    }

    @Test("What was answered is there after a kill, under the same ids")
    func killed() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let process = Process()
        process.executableURL = URL(filePath: Program.path)
        process.arguments = ["engine", "--database", folder]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let lines = [Self.on] + (11...15).map(Self.push)
        try input.fileHandleForWriting.write(
            contentsOf: Data(lines.map { $0 + "\n" }.joined().utf8))
        var heard = Data()
        while !String(decoding: heard, as: UTF8.self).contains(#""@extra":15}"#) {
            heard += output.fileHandleForReading.availableData
        }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()

        let start = try run([#"{"@type":"close"}"#])
        let active = try JSONDocument(Array(try #require(start.first).utf8)).root
        #expect(active["@type"]?.text == "updateActiveNotifications")
        let group = try #require(active["groups"]?.elements.first)
        #expect(group["total_count"]?.integer == 5)
        #expect(
            group["notifications"]?.elements.map { $0["id"]?.integer } == [1, 2, 3, 4, 5])
    }

    @Test("Nothing of a message stands in the files in clear")
    func sealed() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = try run([Self.on, Self.push(4711)])
        let data = try contents(ofFolder: folder)
        #expect(!data.isEmpty)
        #expect(data.range(of: Data("hi 4711".utf8)) == nil)
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
