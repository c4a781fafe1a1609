import Foundation
import Testing

/// A client of an engine that keeps the notifications it was told, like a list on a screen.
final class EngineViewer {
    /// What is shown of each group, by notification id.
    typealias Screen = [Int: [Int: String]]

    let agent: UserAgent
    private(set) var screen: Screen = [:]
    /// Notification ids in the order in which they first appeared.
    private(set) var appeared: [Int] = []
    /// Ids of removed notifications.
    private(set) var removed: Set<Int> = []
    /// The presentation of the last notification.
    private(set) var presentation: [String: Any] = [:]

    init(
        _ fixture: PushFixture, bearer: String, account: String = "me", app: String? = "telegram",
        _ query: String = ""
    ) throws {
        let name = app.map { "&app=\($0)" } ?? ""
        agent = try UserAgent(
            fixture, path: "/api/v1/engine?account=\(account)\(name)\(query)",
            [("Authorization", "Bearer \(bearer)")])
        #expect(try next()["@type"] as? String == "updateActiveNotifications")
    }

    /// `query`: more members of the query, each behind an `&`.
    convenience init(_ app: RegisteredApp, _ query: String = "") throws {
        try self.init(app.fixture, bearer: app.bearer, query)
    }

    /// The objects of one type that come before the answer to a request.
    func settle(_ type: String) throws -> [[String: Any]] {
        try ask(#"{"@type":"getOption","name":"version"}"#).before
            .filter { $0["@type"] as? String == type }
    }

    /// Reads the next object and updates the screen.
    @discardableResult
    func next() throws -> [String: Any] {
        let object = try agent.members()
        take(object)
        return object
    }

    /// Reads until an object of this type.
    @discardableResult
    func next(_ type: String) throws -> [String: Any] {
        while true {
            let object = try next()
            if object["@type"] as? String == type { return object }
        }
    }

    /// Returns what comes before the answer to a request, and the answer.
    @discardableResult
    func ask(_ request: String) throws -> (before: [[String: Any]], answer: [String: Any]) {
        let mark = UUID().uuidString
        agent.send(String(request.dropLast()) + #","@extra":"\#(mark)"}"#)
        var before: [[String: Any]] = []
        while true {
            let object = try next()
            if object["@extra"] as? String == mark { return (before, object) }
            before.append(object)
        }
    }

    /// Returns once all earlier updates have been read.
    func settle() throws { try ask(#"{"@type":"getOption","name":"version"}"#) }

    private func take(_ object: [String: Any]) {
        switch object["@type"] as? String {
        case "updateActiveNotifications":
            screen = [:]
            for group in Self.objects(object["groups"]) {
                let id = group["id"] as? Int ?? 0
                screen[id] = [:]
                for notification in Self.objects(group["notifications"]) { show(notification, id) }
            }
        case "updateNotificationGroup":
            let id = object["notification_group_id"] as? Int ?? 0
            for gone in object["removed_notification_ids"] as? [Int] ?? [] {
                screen[id]?[gone] = nil
                removed.insert(gone)
            }
            for notification in Self.objects(object["added_notifications"]) {
                show(notification, id)
            }
            if screen[id]?.isEmpty == true { screen[id] = nil }
        case "updateNotification":
            let id = object["notification_group_id"] as? Int ?? 0
            for notification in Self.objects([object["notification"] ?? [:]]) {
                show(notification, id)
            }
        default: break
        }
    }

    private func show(_ notification: [String: Any], _ group: Int) {
        let id = notification["id"] as? Int ?? 0
        if !appeared.contains(id) { appeared.append(id) }
        screen[group, default: [:]][id] = Self.text(notification)
        let type = notification["type"] as? [String: Any]
        presentation = type?["bellwire.presentation"] as? [String: Any] ?? [:]
    }

    private static func objects(_ value: Any?) -> [[String: Any]] {
        value as? [[String: Any]] ?? []
    }

    private static func text(_ notification: [String: Any]) -> String {
        let type = notification["type"] as? [String: Any] ?? [:]
        let content = type["content"] as? [String: Any] ?? [:]
        return content["text"] as? String ?? content["@type"] as? String
            ?? type["@type"] as? String ?? ""
    }

    /// The texts on the screen, oldest first.
    var texts: [String] {
        screen.values.flatMap { $0 }.sorted { $0.key < $1.key }.map(\.value)
    }
}

extension RegisteredApp {
    /// A Telegram message in a private chat.
    static func message(_ text: String, id: Int, from user: Int = 500) -> String {
        #"{"loc_key":"MESSAGE_TEXT","loc_args":["Ada","\#(text)"],"custom":{"from_id":"\#(user)","#
            + #""msg_id":"\#(id)"}}"#
    }

    func pushMessage(_ text: String, id: Int, from user: Int = 500) throws -> HTTPAnswer {
        try push(Self.message(text, id: id, from: user))
    }
}
