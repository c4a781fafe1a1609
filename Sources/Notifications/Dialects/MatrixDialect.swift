import Base

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

/// An event of a room, as far as a homeserver describes it to a push gateway.
struct MatrixEvent {
    let node: JSONNode
    let id: String
    let room: String
    let type: String
    /// The best known name of the sender.
    let sender: String
    /// The best known name of the room; empty if it is named after its members.
    let roomName: String

    init(_ notification: JSONNode) {
        node = notification
        id = Self.first(notification["event_id"], notification["id"])
        room = Self.first(notification["room_id"])
        type = Self.first(notification["type"])
        sender = Self.first(notification["sender_display_name"], notification["sender"])
        let name = Self.first(notification["room_name"], notification["room_alias"])
        roomName = name == sender ? "" : name
    }

    private static func first(_ nodes: JSONNode?...) -> String {
        nodes.lazy.compactMap { $0?.text }.first { !$0.isEmpty } ?? ""
    }

    /// The name by which a later event edits or redacts this one.
    static func name(_ id: String) -> String { id.isEmpty ? "" : "matrix:\(id)" }

    var chat: ChatReference { .conversation("matrix:\(room)") }
    var isLow: Bool { node["prio"]?.text == "low" }

    private var content: JSONNode? { node["content"] }
    private var relation: JSONNode? { content?["m.relates_to"] }

    /// The event that this one edits.
    var edited: String? {
        guard relation?["rel_type"]?.text == "m.replace" else { return nil }
        return relation?["event_id"]?.text.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The event that this one redacts. Before room version 11 it stood beside the content.
    var redacted: String? {
        let id = Self.first(content?["redacts"], node["redacts"])
        return id.isEmpty ? nil : id
    }

    /// The text of the event, if the push contains it.
    var text: String? {
        switch type {
        case "m.room.encrypted": nil
        case "m.room.member": membership
        case "m.reaction": "\(somebody) reacted with \(relation?["key"]?.text ?? "something")"
        default: isEmote ? body.map { "\(somebody) \($0)" } : body
        }
    }

    /// What is shown; in a room with the sender's name.
    var sentence: String {
        let words =
            text ?? (type == "m.room.encrypted" ? "Encrypted message" : "New message")
        let saysWho = isEmote || type == "m.room.member" || type == "m.reaction"
        return roomName.isEmpty || sender.isEmpty || saysWho ? words : "\(sender): \(words)"
    }

    private var isEmote: Bool { said?["msgtype"]?.text == "m.emote" && body != nil }

    private var somebody: String { sender.isEmpty ? "Somebody" : sender }

    /// The content of the event; of an edit, its new content. The outer one is for clients that do
    /// not know edits.
    private var said: JSONNode? {
        edited == nil ? content : content?["m.new_content"] ?? content
    }

    private var body: String? { said?["body"]?.text }

    /// The state key says whose membership changed, but push gateways do not get it.
    private var membership: String {
        let membership = Self.first(node["membership"], content?["membership"])
        guard node["user_is_target"]?.bool != true else {
            return switch membership {
            case "invite": "\(somebody) invited you"
            case "leave": "\(somebody) removed you"
            case "ban": "\(somebody) banned you"
            default: "\(somebody) changed your membership"
            }
        }
        return switch membership {
        case "invite": "\(somebody) invited \(content?["displayname"]?.text ?? "somebody")"
        case "join": "\(somebody) joined"
        case "knock": "\(somebody) asks to join"
        case "leave": "A member left"
        case "ban": "\(somebody) banned a member"
        default: "\(somebody) changed a membership"
        }
    }
}
