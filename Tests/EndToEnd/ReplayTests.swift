import Base
import Foundation
import TestSupport
import Testing

/// Recordings of TDLib 1.8.69, played to the program.
@Suite("bellwire engine --replay")
struct ReplayTests {
    private static func play(_ stories: [String]) throws -> [JSONNode] {
        let input = Data(stories.map { $0 + "\n" }.joined().utf8)
        let outcome = try Program.run(["engine", "--replay"], input: input)
        #expect(outcome.exitCode == 0 && outcome.errors.isEmpty)
        return try outcome.output.split(separator: "\n").map {
            try JSONDocument(Array($0.utf8)).root
        }
    }

    /// `updateChatReadInbox` is about chats, not notifications.
    private static func updates(_ step: JSONNode) -> [String] {
        (step["updates"]?.elements ?? [])
            .filter { $0["@type"]?.text != "updateChatReadInbox" }.map(\.withoutOurs)
    }

    /// TDLib withholds some answers; ours are given.
    private static func result(_ step: JSONNode) -> String {
        let action = step["do"]
        let isAsked = action?["push"] != nil || action?["request"]?["@type"]?.text == "destroy"
        guard let result = step["result"], result.kind != .null else {
            return isAsked ? "\"ok\"" : "null"
        }
        return result.canonical
    }

    @Test("Every step of every recorded story gives the recorded answer and updates")
    func stories() throws {
        let stories = try Vectors.lines(of: "tdlib-engine-scenarios.jsonl")
        let played = try Self.play(stories.map(\.canonical))
        try #require(played.count == stories.count && stories.count == 24)
        for (story, ours) in zip(stories, played) {
            let name = story["name"]?.text ?? ""
            let steps = story["steps"]?.elements ?? []
            let answers = ours["steps"]?.elements ?? []
            try #require(ours["name"]?.text == name && steps.count == answers.count)
            for (index, (step, answer)) in zip(steps, answers).enumerated() {
                #expect(Self.result(step) == Self.result(answer), "\(name), step \(index)")
                #expect(Self.updates(step) == Self.updates(answer), "\(name), step \(index)")
            }
        }
    }

    @Test("Every key of a push becomes what TDLib makes of it, or its error")
    func keys() throws {
        let rows = try Vectors.lines(of: "tdlib-loc-keys.jsonl")
        let steps = rows.map { #"{"do":{"push":\#($0["payload"]?.canonical ?? "")}}"# }
        let story = """
            {"name": "keys", "options": {"notification_group_count_max": 25, \
            "notification_group_size_max": 25}, "setup": {"my_id": 777, "private_chats": [555], \
            "basic_groups": [77], "supergroups": [88], "channels": [99]}, \
            "steps": [\(steps.joined(separator: ","))]}
            """
        let played = try #require(try Self.play([story]).first)
        let answers = played["steps"]?.elements ?? []
        try #require(answers.count == rows.count && rows.count == 252)
        for (row, answer) in zip(rows, answers) {
            let key = "\(row["loc_key"]?.text ?? "") in \(row["chat"]?.text ?? "")"
            #expect(row["result"]?.canonical == answer["result"]?.canonical, "\(key)")
            guard row["content"] != nil else { continue }
            let update = answer["updates"]?.elements.last { $0["added_notifications"] != nil }
            let type = update?["added_notifications"]?.elements.last?["type"]
            #expect(type?["content"]?.canonical == Self.content(row), "\(key)")
            #expect(type?["sender_id"]?.canonical == row["sender"]?.canonical, "\(key)")
            #expect(type?["sender_name"]?.text == row["sender_name"]?.text, "\(key)")
            #expect(update?["type"]?["@type"]?.text == row["group_type"]?.text, "\(key)")
            let settings = update?["notification_settings_chat_id"]?.integer
            #expect(settings == row["settings_chat_id"]?.integer, "\(key)")
            #expect(update?["notification_sound_id"]?.text == row["sound_id"]?.text, "\(key)")
        }
    }

    /// TDLib confuses live locations with others; ours are told apart.
    private static func content(_ row: JSONNode) -> String? {
        let text = row["content"]?.canonical
        guard let isLive = row["content"]?["is_live"]?.bool else { return text }
        return text?.replacingOccurrences(
            of: "\"is_live\":\(isLive)", with: "\"is_live\":\(!isLive)")
    }
}
