import Base
package import Notifications

/// What a Matrix homeserver sends to a push gateway, in today's form and that of the first drafts.
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
        let event = MatrixEvent(notification)
        guard !event.id.isEmpty || !event.room.isEmpty else {
            return events.isEmpty ? [.ignored] : events
        }
        return events + [self.event(event, device)]
    }

    private static func event(_ event: MatrixEvent, _ device: JSONNode?) -> Event {
        switch event.type {
        case "m.call.invite": return .call(call(event, device))
        case "m.call.hangup", "m.call.reject", "m.call.answer":
            return .call(
                IncomingCall(
                    chat: event.chat, stage: .declined, callerName: event.sender, missedText: ""))
        case "m.room.redaction":
            guard let redacted = event.redacted else { return .ignored }
            return .retracted(name: MatrixEvent.name(redacted), order: nil)
        default: return .message(message(event, device))
        }
    }

    private static func call(_ event: MatrixEvent, _ device: JSONNode?) -> IncomingCall {
        let caller = event.sender.isEmpty ? event.roomName : event.sender
        var call = IncomingCall(
            chat: event.chat, stage: .requested, callerName: caller,
            missedText: caller.isEmpty ? "You missed a call" : "You missed a call from \(caller)",
            name: MatrixEvent.name(event.id))
        call.data = data(event, device)
        return call
    }

    private static func message(_ event: MatrixEvent, _ device: JSONNode?) -> IncomingMessage {
        let text = event.text
        var message = IncomingMessage(
            chat: event.chat,
            content: text.map { PushContent(.text, text: $0) } ?? PushContent(.hidden))
        message.isGroup = !event.roomName.isEmpty
        message.chatTitle = message.isGroup ? event.roomName : event.sender
        message.senderName = event.sender
        message.name = MatrixEvent.name(event.edited ?? event.id)
        message.dedupeKey = message.name
        if event.edited != nil { message.replacement = .inPlace }
        message.presentation = Presentation(
            title: message.chatTitle.isEmpty ? "Matrix" : message.chatTitle,
            body: event.sentence, data: data(event, device))
        apply(device?["tweaks"], isLow: event.isLow, to: &message)
        return message
    }

    /// Push rules decide about sound and highlight; low priority is silent.
    private static func apply(
        _ tweaks: JSONNode?, isLow: Bool, to message: inout IncomingMessage
    ) {
        if let sound = tweaks?["sound"]?.text, sound != "default" {
            message.presentation?.sound = Presentation.bareSound(sound)
        }
        message.isSilent = isLow || (tweaks?.kind == .object && tweaks?["sound"] == nil)
        message.isMention = tweaks?["highlight"].map { $0.bool ?? true } ?? false
        if isLow { message.presentation?.urgency = .low }
    }

    /// The room and event, and the data attached to the pusher, as far as there is room.
    private static func data(_ event: MatrixEvent, _ device: JSONNode?) -> String {
        let node = event.node
        let place: [PayloadData.Member] = [
            ("room_id", node["room_id"]), ("event_id", node["event_id"] ?? node["id"]),
            ("sender", node["sender"]),
        ]
        let whole = PayloadData.text(
            place + [("pushkey_ts", device?["pushkey_ts"]), ("data", device?["data"])])
        return whole.isEmpty ? PayloadData.text(place) : whole
    }
}
