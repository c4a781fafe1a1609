import Base
package import Notifications

/// What a Matrix homeserver tells a push gateway, of this day and of the first drafts.
package enum MatrixDialect {
    package static func events(_ payload: [UInt8], _ context: DialectContext) -> [Event] {
        guard let root = try? JSONDocument(payload).root, root.kind == .object,
            let notification = root["notification"], notification.kind == .object
        else { return PlainDialect.events(payload, context) }
        // The drafts put counts and devices beside the notification.
        let counts = notification["counts"] ?? root["counts"]
        let device = (notification["devices"] ?? root["devices"])?.elements.first
        var events: [Event] = []
        if let counts, counts.kind == .object {
            events.append(
                .badge(
                    unread: counts["unread"]?.integer ?? 0,
                    missedCalls: counts["missed_calls"]?.integer))
        }
        let eventID = notification["event_id"]?.text ?? notification["id"]?.text ?? ""
        let room = notification["room_id"]?.text ?? ""
        guard !eventID.isEmpty || !room.isEmpty else {
            return events.isEmpty ? [.ignored] : events
        }
        return events + [event(notification, device, room: room, eventID: eventID)]
            + details(device)
    }

    private static func event(
        _ notification: JSONNode, _ device: JSONNode?, room: String, eventID: String
    ) -> Event {
        let sender = notification["sender_display_name"]?.text ?? notification["sender"]?.text ?? ""
        let title = notification["room_name"]?.text ?? notification["room_alias"]?.text ?? ""
        let chat = ChatReference.conversation("matrix:\(room)")
        let type = notification["type"]?.text ?? ""
        if type == "m.call.invite" {
            var call = IncomingCall(
                chat: chat, stage: .requested, callerName: sender.isEmpty ? title : sender,
                missedText: "You missed a call from \(sender)", name: "matrix:\(eventID)")
            call.data = data(notification, device)
            return .call(call)
        }
        if type == "m.call.hangup" || type == "m.call.reject" || type == "m.call.answer" {
            return .call(
                IncomingCall(chat: chat, stage: .declined, callerName: sender, missedText: ""))
        }
        let body = text(notification, type: type, sender: sender)
        let hasText = notification["content"]?["body"]?.text != nil || isInvite(notification, type)
        var message = IncomingMessage(
            chat: chat, content: hasText ? PushContent(.text, text: body) : PushContent(.hidden))
        message.chatTitle = title.isEmpty ? sender : title
        message.isGroup = !title.isEmpty
        message.senderName = sender
        message.dedupeKey = eventID.isEmpty ? "" : "matrix:\(eventID)"
        message.name = message.dedupeKey
        message.presentation = Presentation(
            title: message.chatTitle.isEmpty ? "Matrix" : message.chatTitle, body: body)
        message.presentation?.data = data(notification, device)
        apply(device?["tweaks"], isLow: notification["prio"]?.text == "low", to: &message)
        return .message(message)
    }

    /// Where it happened, and what the pusher's owner attached, as far as that has room.
    private static func data(_ notification: JSONNode, _ device: JSONNode?) -> String {
        let place: [PayloadData.Member] = [
            ("room_id", notification["room_id"]),
            ("event_id", notification["event_id"] ?? notification["id"]),
            ("sender", notification["sender"]),
        ]
        let whole = PayloadData.text(place + [("data", device?["data"])])
        return whole.isEmpty ? PayloadData.text(place) : whole
    }

    private static func isInvite(_ notification: JSONNode, _ type: String) -> Bool {
        type == "m.room.member" && notification["user_is_target"]?.bool == true
    }

    private static func text(_ notification: JSONNode, type: String, sender: String) -> String {
        let content = notification["content"]
        switch type {
        case "m.room.encrypted": return "Encrypted message"
        case "m.room.member" where isInvite(notification, type):
            let isInvite = content?["membership"]?.text == "invite"
            return isInvite ? "\(sender) invited you" : "\(sender) changed your membership"
        default:
            guard let body = content?["body"]?.text else { return "New message" }
            return content?["msgtype"]?.text == "m.emote" ? "\(sender) \(body)" : body
        }
    }

    /// Push rules decide about sound and highlight; what is not urgent makes no noise.
    private static func apply(
        _ tweaks: JSONNode?, isLow: Bool, to message: inout IncomingMessage
    ) {
        if let sound = tweaks?["sound"]?.text, sound != "default" {
            message.presentation?.sound = Presentation.bareSound(sound)
        }
        message.isSilent = isLow || (tweaks?.kind == .object && tweaks?["sound"] == nil)
        message.isMention = tweaks?["highlight"].map { $0.bool ?? true } ?? false
        message.presentation?.isLow = isLow
    }

    /// What the pusher's owner attached travels to the client as it came.
    private static func details(_ device: JSONNode?) -> [Event] {
        var details: [Update.Detail] = []
        if let timestamp = device?["pushkey_ts"]?.integer {
            details.append(Update.Detail("pushkey_ts", source: String(timestamp)))
        }
        if let payload = device?["data"]?["default_payload"] {
            details.append(
                Update.Detail(
                    "default_payload", source: String(decoding: payload.source, as: UTF8.self)))
        }
        return details.isEmpty ? [] : [.fetchRequired(reason: "matrix", details: details)]
    }
}
