package import Base

/// A forward of topics, as `/api/v1/forwards` lists it.
package struct ListedForward: ListedObject, Equatable, Sendable, Confidential {
    package static let list: StaticString = "forwards"
    package static let (unconfirmed, active, restored) = ("unconfirmed", "active", "restored")

    package var id = 0
    /// Only a reader who is not its owner is told who that is.
    package var owner: String?
    /// The topic and its registration; nil if it is for all.
    package var topic: String?
    package var registration: String?
    /// Where messages go. The rest of the address is a secret.
    package var host = ""
    package var form = ""
    package var state = ""
    /// Seconds since 1970; `delivered` is nil if no message was taken yet.
    package var created = 0
    package var delivered: Int?
    /// What the push service answered last: a status, or 0 for no answer; nil if it was not asked.
    package var status: Int?
    package var reason: String?
    /// How many messages wait.
    package var waiting = 0

    package init() {}

    package mutating func fields(_ fields: inout JSONFields) {
        fields.member("id", &id)
        fields.member("owner", &owner)
        fields.member("topic", &topic)
        fields.member("registration", &registration)
        fields.member("host", &host)
        fields.member("form", &form)
        fields.member("state", &state)
        fields.member("created", &created)
        fields.member("delivered", &delivered)
        fields.member("status", &status)
        fields.member("reason", &reason)
        fields.member("waiting", &waiting)
    }
}

/// What a forward is asked for by.
package struct ForwardRequest: JSONObject, Equatable, Sendable, Confidential {
    /// The topic; nil for all.
    package var registration: String?
    package var isOfAll = false
    package var form: String?
    package var endpoint = ""
    package var p256dh = ""
    package var auth = ""

    package init() {}

    package mutating func fields(_ fields: inout JSONFields) {
        fields.member("registration", &registration)
        fields.flag("all_topics", &isOfAll)
        fields.member("form", &form)
        var copy = self
        fields.member("subscription") { fields in
            fields.member("endpoint", &copy.endpoint)
            fields.member("keys") { fields in
                fields.member("p256dh", &copy.p256dh)
                fields.member("auth", &copy.auth)
            }
        }
        (endpoint, p256dh, auth) = (copy.endpoint, copy.p256dh, copy.auth)
    }
}
