package import Base

/// When somebody with a credential of its owner was last refused at a topic, and why.
package struct ListedRefusal: JSONObject, Equatable, Sendable, Confidential {
    /// The words for reasons. For what is wrong with a message, it is `MESSAGE` and ntfy's number.
    package enum Reason {
        package static let (mayNotPush, mayOnlyRead, mayNotRead, mayNot) = (
            "may-not-push", "may-only-read", "may-not-read", "may-not"
        )
        package static let (otherTopics, receiveOnly, expired, unconfirmed) = (
            "other-topics", "receive-only", "expired", "unconfirmed"
        )
        package static let message = "message-"
    }

    /// The name of the token or the device.
    package var sender = ""
    package var status = 0
    package var reason = ""
    /// In seconds since 1970.
    package var time = 0

    package init() {}

    package mutating func fields(_ fields: inout JSONFields) {
        fields.member("sender", &sender)
        fields.member("status", &status)
        fields.member("reason", &reason)
        fields.member("at", &time)
    }
}
