package import WebPush

/// A message on its way to an application.
///
/// It is a class, because it waits in queues and is passed in events.
package final class PushedMessage: Sendable, Equatable {
    package let channel: ChannelID
    /// The receiver's id, the same in every delivery.
    package let id: String
    /// The body as received; for `aesgcm`, three lines with its headers come first.
    package let body: [UInt8]
    /// When it expires, on the boot clock. Nil: deliver now or never.
    package let deadline: Duration?
    package let urgency: Urgency

    package init(
        channel: ChannelID, id: String, body: [UInt8], deadline: Duration?,
        urgency: Urgency = .normal
    ) {
        self.channel = channel
        self.id = id
        self.body = body
        self.deadline = deadline
        self.urgency = urgency
    }

    package static func == (left: PushedMessage, right: PushedMessage) -> Bool {
        left.channel == right.channel && left.id == right.id && left.body == right.body
            && left.deadline == right.deadline && left.urgency == right.urgency
    }
}
