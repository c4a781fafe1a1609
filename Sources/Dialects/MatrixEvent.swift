import Base
import Notifications

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
