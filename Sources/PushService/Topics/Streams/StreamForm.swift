import Base
import Mailbox
import Topics

/// How a stream says what came.
enum StreamForm: Hashable, Sendable {
    case ntfy(NtfyRoute.Stream)
    /// Gotify's messages, each in a frame of a WebSocket.
    case gotify

    var isWebSocket: Bool {
        switch self {
        case .ntfy(let form): form == .webSocket
        case .gotify: true
        }
    }
}

/// What the newest message is in the forms in which it was asked for. Many streams follow one topic,
/// and all get the same bytes.
struct StreamTexts: Confidential {
    private var message: PlacedMessage?
    private var texts: [StreamForm: [UInt8]] = [:]

    /// Empty for what this form does not have. `position` is for a message that has none of its own.
    mutating func text(
        of placed: PlacedMessage, as form: StreamForm, in group: StreamGroup, position: Int64
    ) -> [UInt8] {
        if placed !== message {
            message = placed
            texts.removeAll(keepingCapacity: true)
        }
        if let known = texts[form] { return known }
        let text =
            switch form {
            case .ntfy(let form): form.message(placed)
            case .gotify: Self.gotify(placed, in: group, placed.position ?? position)
            }
        texts[form] = text
        return text
    }

    private static func gotify(
        _ placed: PlacedMessage, in group: StreamGroup, _ position: Int64
    ) -> [UInt8] {
        guard let application = group.applications[placed.topic] else { return [] }
        let message = GotifyMessage(
            placed.message, id: position, application: application.id, named: application.name)
        return message?.json ?? []
    }

    /// Call this when nobody is sent it any more.
    mutating func forget() {
        message = nil
        texts.removeAll(keepingCapacity: true)
    }
}
