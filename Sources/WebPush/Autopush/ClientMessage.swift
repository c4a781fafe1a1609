import Base

/// What a user agent says. The frame it came in is needed for as long as the value is used.
package enum ClientMessage: Sendable {
    case hello(Hello)
    /// Nil for a channel that is no UUID in the one spelling that is allowed here.
    case register(ChannelID?, key: Key)
    case unregister(ChannelID)
    case acknowledgement(AcknowledgedUpdates)
    /// `nack`: something went wrong behind a delivery. Nothing follows from it.
    case failureReport
    case ping
    case broadcastSubscription(BroadcastNames)
    case urgency(Urgency)

    package struct Hello: Sendable, Confidential {
        package let userAgent: UserAgentID?
        package let extensions: AutopushExtensions
        package let broadcasts: BroadcastNames
    }

    /// What pushes to a channel will have to be signed with.
    package enum Key: Equatable, Sendable {
        case absent
        case malformed
        /// Whether that is a point is for the caller to see.
        case bytes([UInt8])
    }

    /// Reads the text of one message, which must be UTF-8.
    package init(_ payload: Span<UInt8>) throws(AutopushClosing) {
        do {
            self = try ClientMessageReader.message(payload)
        } catch {
            throw .badMessage
        }
    }
}
