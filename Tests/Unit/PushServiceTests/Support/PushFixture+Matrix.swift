import Foundation
import Mailbox

extension PushFixture {
    static let gateway = "/_matrix/push/v1/notify"

    /// A notification in the form that a homeserver sends.
    static func notification(
        _ pushkeys: [String], event: String? = "$event", _ members: [String: Any] = [:]
    ) throws -> [UInt8] {
        var notification: [String: Any] = [
            "room_id": "!room:x", "counts": ["unread": 1],
            "devices": pushkeys.map { ["app_id": "org.example.client", "pushkey": $0] },
        ]
        if let event { notification["event_id"] = event }
        notification.merge(members) { $1 }
        return Array(
            try JSONSerialization.data(withJSONObject: ["notification": notification]))
    }

    func notify(_ body: [UInt8], at path: String = PushFixture.gateway) throws -> HTTPAnswer {
        try request("POST", path, [("Content-Type", "application/json")], body: body)
    }

    func notify(
        _ pushkeys: String..., event: String? = "$event", _ members: [String: Any] = [:]
    ) throws -> HTTPAnswer {
        try notify(Self.notification(pushkeys, event: event, members))
    }
}
