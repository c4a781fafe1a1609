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

    /// The compared part of a step: `updateChatReadInbox` is about chats, not notifications.
    private static func updates(_ step: JSONNode, leavingOut types: Set<String> = []) -> [String] {
        (step["updates"]?.elements ?? []).filter { update in
            let type = update["@type"]?.text ?? ""
            return type != "updateChatReadInbox" && !types.contains(type)
        }.map { compared($0) }
    }

    /// Without files and threads, which were not recorded.
    private static func compared(_ node: JSONNode) -> String {
        switch node.kind {
        case .object:
            let isContent = node["@type"]?.text?.hasPrefix("pushMessageContent") == true
            let members = node.members.filter { name, _ in
                name != "message_thread_id" && !(isContent && files.contains(name))
            }
            let texts = members.sorted { $0.name < $1.name }.map { name, value in
                JSONText.quoted(name) + ":" + compared(value)
            }
            return "{" + texts.joined(separator: ",") + "}"
        case .array: return "[" + node.elements.map(compared).joined(separator: ",") + "]"
        default: return node.canonical
        }
    }

    private static let files: Set<String> = [
        "photo", "video", "animation", "audio", "document", "sticker", "video_note", "voice_note",
    ]

    /// TDLib withholds some answers that this engine gives. Of answers with content only the type
    /// is compared.
    private static func result(_ step: JSONNode) -> String {
        let action = step["do"]
        let isAsked =
            action?["push"] != nil || action?["push_raw"] != nil
            || ["destroy", "processPushNotification"].contains(action?["request"]?["@type"]?.text)
        guard let result = step["result"], result.kind != .null else {
            return isAsked ? "\"ok\"" : "null"
        }
        return result.kind == .object && !result.has("code") ? "\"ok\"" : result.canonical
    }

    @Test("Every step of every recorded story gives the recorded answer and updates")
    func stories() throws {
        try play("tdlib-engine-scenarios.jsonl", count: 24)
    }

    @Test("So does every step of generated stories")
    func randomStories() throws {
        try play(
            "tdlib-random-stories.jsonl", count: 240,
            leavingOut: ["updateHavePendingNotifications"])
    }

    @Test("So does every step of stories with odd and malformed requests")
    func requestStories() throws {
        try play(
            "tdlib-request-stories.jsonl", count: 91,
            leavingOut: ["updateHavePendingNotifications"])
    }

    private func play(
        _ file: String, count: Int, leavingOut types: Set<String> = []
    ) throws {
        let lines = try String(
            contentsOf: Vectors.folder.appending(path: file), encoding: .utf8
        ).split(separator: "\n").map(String.init)
        let played = try Self.play(lines)
        try #require(played.count == lines.count && lines.count == count)
        for (line, ours) in zip(lines, played) {
            let story = try JSONDocument(Array(line.utf8)).root
            let name = story["name"]?.text ?? ""
            let steps = story["steps"]?.elements ?? []
            let answers = ours["steps"]?.elements ?? []
            try #require(ours["name"]?.text == name && steps.count == answers.count)
            for (index, (step, answer)) in zip(steps, answers).enumerated() {
                let place = "\(name), step \(index)"
                #expect(Self.result(step) == answer["result"]?.canonical, "\(place)")
                #expect(
                    Self.updates(step, leavingOut: types)
                        == Self.updates(answer, leavingOut: types), "\(place)")
            }
        }
    }

    @Test("A malformed line gets an error, and the next story is played")
    func badLines() throws {
        let story = #"{"name":"a","options":{"notification_group_count_max":5},"steps":["#
        let played = try Self.play(["[]", "x", "", story + "]}"])
        #expect(played.map { $0["error"]?["code"]?.integer } == [400, 400, 400, nil])
        #expect(played.last?["name"]?.text == "a")
    }

    @Test("Extreme dates, ids and sizes do not stop the replay")
    func extremes() throws {
        let ends = ["9223372036854775807", "-9223372036854775808"]
        let steps = ends.flatMap { end in
            [
                #"{"do":{"push":{"date":"T+\#(end)","data":{"loc_key":"MESSAGE_TEXT","loc_args":["U","T+5"],"custom":{"from_id":"1","msg_id":"11"}}}}}"#,
                #"{"do":{"push":{"date":"\#(end)","data":{"loc_key":"MESSAGE_TEXT","loc_args":["U","x"],"custom":{"from_id":"\#(end)","msg_id":"\#(end)"}}}}}"#,
                #"{"do":{"request":{"@type":"removeNotification","notification_group_id":\#(end),"notification_id":\#(end)}}}"#,
                #"{"do":{"request":{"@type":"viewMessages","chat_id":\#(end),"message_ids":[\#(end)],"force_read":true}}}"#,
                #"{"do":{"request":{"@type":"viewMessages","chat_id":1,"message_ids":[\#(end)],"force_read":true}}}"#,
                #"{"do":{"request":{"@type":"setOption","name":"notification_group_size_max","value":{"@type":"optionValueInteger","value":"\#(end)"}}}}"#,
                #"{"do":{"request":{"@type":"setChatNotificationSettings","chat_id":1,"notification_settings":{"mute_for":\#(end)}}}}"#,
                #"{"do":{"request":{"@type":"bellwire.addMessage","message":{"@type":"message","id":\#(end),"chat_id":1,"date":\#(end)}}}}"#,
                #"{"do":{"restart":true,"options":{"notification_group_size_max":\#(end),"notification_group_count_max":\#(end)}}}"#,
            ]
        }
        let stories = ends.map { end in
            """
            {"name":"ends","setup":{"my_id":\(end),"private_chats":[1,\(end)],"basic_groups":[\(end)],\
            "supergroups":[\(end)],"channels":[\(end)]},"options":{"notification_group_count_max":5,\
            "notification_group_size_max":\(end)},"steps":[\(steps.joined(separator: ","))]}
            """
        }
        let played = try Self.play(stories)
        #expect(played.map { $0["steps"]?.elements.count } == [18, 18])
    }

    @Test("Dates are relative to the story's beginning; texts are unchanged")
    func texts() throws {
        let story =
            #"{"name":"a","setup":{"private_chats":[1]},"options":{"notification_group_count_max":5},"steps":[{"do":{"push":{"date":"T+7","data":{"loc_key":"MESSAGE_TEXT","loc_args":["T+1","T+5"],"custom":{"from_id":"1","msg_id":"11"}}}}}]}"#
        let step = try #require(try Self.play([story]).first?["steps"]?.elements.first)
        let added = step["updates"]?.elements.compactMap {
            $0["added_notifications"]?.elements.first
        }
        let notification = try #require(added?.first)
        #expect(notification["date"]?.text == "T+7")
        #expect(notification["type"]?["sender_name"]?.text == "T+1")
        #expect(notification["type"]?["content"]?["text"]?.text == "T+5")
    }

    @Test("Every key of a push gives TDLib's notification or error")
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

    /// TDLib confuses live locations with others; this engine does not.
    private static func content(_ row: JSONNode) -> String? {
        let text = row["content"]?.canonical
        guard let isLive = row["content"]?["is_live"]?.bool else { return text }
        return text?.replacingOccurrences(
            of: "\"is_live\":\(isLive)", with: "\"is_live\":\(!isLive)")
    }
}
