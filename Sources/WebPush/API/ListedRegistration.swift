package import Base

/// A registration as `/api/v1/registrations` shows it, without keys and secrets.
package struct ListedRegistration: ListedObject, Equatable, Sendable, Confidential {
    package static let list: StaticString = "registrations"

    package var id = ""
    package var receiverID = ""
    package var endpoint = ""
    /// Seconds after which its client should ask again.
    package var refreshAfter = 0
    package var tokenType = 0
    package var app = ""
    package var account = ""
    /// The D-Bus name of the application to wake.
    package var service: String?
    package var trustsClear = false
    /// The format of what scripts and services push there.
    package var heard: String?
    /// A client of the account is connected.
    package var hasListeners = false
    /// Only a screen shows what is pushed there, and none is connected.
    package var isUnheard = false
    /// Only a reader who is not its owner is told who that is.
    package var owner: String?
    /// Seconds since 1970.
    package var created = 0
    package var expires = 0
    /// Of a topic.
    package var topic: TopicDetails?
    /// Of a topic, since the server was started.
    package var refusal: ListedRefusal?
    /// How many pushes could not be decrypted, by the reason.
    package var undecryptable: [JSONCount] = []

    package init() {}

    package var name: AccountName { AccountName(app: app, account: account) }

    package mutating func fields(_ fields: inout JSONFields) {
        fields.member("id", &id)
        fields.member("push_receiver_id", &receiverID)
        fields.member("endpoint", &endpoint)
        fields.member("refresh_after", &refreshAfter)
        fields.member("token_type", &tokenType)
        fields.member("app", &app)
        fields.member("account", &account)
        fields.member("service", &service)
        fields.flag("trust_clear", &trustsClear)
        fields.member("hears", &heard)
        fields.member("listening", &hasListeners)
        fields.flag("unheard", &isUnheard)
        fields.member("owner", &owner)
        fields.member("created", &created)
        fields.member("expires", &expires)
        fields.member("topic", &topic)
        fields.member("refused", &refusal)
        fields.member("undecryptable", counts: &undecryptable)
    }
}

/// A registration with its secrets, for the client that registers.
package struct MadeRegistration: JSONObject, Sendable, Confidential {
    package var id = ""
    package var receiverID = ""
    package var tokenType = 0
    /// The token for `account.registerDevice`.
    package var token = ""
    package var endpoint = ""
    /// A type 4 has no keys.
    package var p256dh: String?
    package var auth: String?
    /// Empty if payloads are not encrypted a second time.
    package var secret = ""
    package var otherUserIDs: [Int] = []
    package var callbackSecret: String?
    /// Seconds after which its client should ask again.
    package var refreshAfter = 0
    /// Of a topic.
    package var topic: TopicDetails?

    package init() {}

    package mutating func fields(_ fields: inout JSONFields) {
        fields.member("id", &id)
        fields.member("push_receiver_id", &receiverID)
        fields.member("token", &token)
        fields.member("device_token") { deviceToken(&$0) }
        fields.member("register_device") { parameters(&$0) }
        fields.member("endpoint", &endpoint)
        keys(&fields)
        fields.member("callback_secret", &callbackSecret)
        fields.member("refresh_after", &refreshAfter)
        fields.member("topic", &topic)
    }

    package mutating func keys(_ fields: inout JSONFields) {
        fields.member("keys", if: p256dh != nil) {
            $0.member("p256dh", &p256dh)
            $0.member("auth", &auth)
        }
    }

    /// The object for TDLib's `registerDevice`.
    private mutating func deviceToken(_ fields: inout JSONFields) {
        fields.constant("@type", p256dh == nil ? "deviceTokenSimplePush" : "deviceTokenWebPush")
        fields.member("endpoint", &endpoint)
        fields.member("p256dh_base64url", &p256dh)
        fields.member("auth_base64url", &auth)
    }

    /// The parameters of `account.registerDevice`.
    private mutating func parameters(_ fields: inout JSONFields) {
        fields.constant("no_muted", true)
        fields.member("token_type", &tokenType)
        fields.member("token", &token)
        fields.constant("app_sandbox", false)
        fields.member("secret", &secret)
        fields.member("other_uids", &otherUserIDs)
    }

    /// The parameters of `account.registerDevice`.
    package var registerDevice: String {
        var copy = self
        return JSONFields.text { copy.parameters(&$0) }
    }

    /// The parameters of `account.unregisterDevice`.
    package var unregisterDevice: String {
        var copy = self
        return JSONFields.text {
            $0.member("token_type", &copy.tokenType)
            $0.member("token", &copy.token)
            $0.member("other_uids", &copy.otherUserIDs)
        }
    }
}

/// The messages that wait for an application that fetches, with the signals, oldest first.
package struct WaitingMessage: ListedObject, Equatable, Sendable, Confidential {
    package static let list: StaticString = "messages"

    package var id = ""
    /// In base64url; empty for a signal.
    package var payload = ""
    /// Seconds since 1970.
    package var received = 0
    /// How many pushes a signal stands for.
    package var count: Int?
    package var version: String?

    package init() {}

    package mutating func fields(_ fields: inout JSONFields) {
        fields.member("id", &id)
        fields.member("payload", &payload)
        fields.member("received", &received)
        fields.member("count", &count)
        fields.member("version", &version)
    }
}
