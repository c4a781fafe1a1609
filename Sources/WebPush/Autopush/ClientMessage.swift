import Base

/// A message of a user agent. Its frame must be kept as long as this value.
package enum ClientMessage: Sendable {
    case hello(Hello)
    /// Nil if the channel is not a UUID in the one allowed spelling.
    case register(ChannelID?, key: Key)
    case unregister(ChannelID)
    case acknowledgement(AcknowledgedUpdates)
    /// `nack`: a message could not be handled. It has no effect.
    case failureReport
    case ping
    case broadcastSubscription(BroadcastNames)
    case urgency(Urgency)

    package struct Hello: Sendable, Confidential {
        package let userAgent: UserAgentID?
        /// It says `"use_webpush": true`, like Firefox.
        package let usesWebPush: Bool
        package let extensions: AutopushExtensions
        package let broadcasts: BroadcastNames
    }

    /// The key that pushes to a channel have to be signed with.
    package enum Key: Equatable, Sendable {
        case absent
        case malformed
        /// The caller has to check that it is a point on the curve.
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
