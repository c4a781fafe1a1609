package import Base

/// A token for topics, as `/api/v1/tokens` lists it.
package struct ListedToken: ListedObject, Equatable, Sendable, Confidential {
    package static let list: StaticString = "tokens"

    package var id = 0
    package var name = ""
    /// Only a reader who is not its owner is told who that is.
    package var owner: String?
    /// Which topics it opens: a name, in which each `*` stands for any characters.
    package var pattern = ""
    package var form = TokenRequest.ntfy
    package var reads = false
    package var writes = false
    package var answers = false
    /// It may delete and clear what it may not write.
    package var ends = false
    /// Seconds since 1970; nil for a token that was never used, or does not end by itself.
    package var created = 0
    package var lastSeen: Int?
    package var expires: Int?
    /// False after a restore, until somebody confirms it.
    package var isConfirmed = true
    /// The token itself, only in the answer to the request that makes it.
    package var token: String?
    /// In the same answer: where services send that know only Slack or Discord. Nil for a token of
    /// several topics, because those do not say which.
    package var slackAddress: String?
    package var discordAddress: String?

    package init() {}

    package mutating func fields(_ fields: inout JSONFields) {
        fields.member("id", &id)
        fields.member("name", &name)
        fields.member("owner", &owner)
        fields.member("topic", &pattern)
        fields.member("form", &form)
        fields.flag("read", &reads)
        fields.flag("write", &writes)
        fields.flag("answer", &answers)
        fields.flag("end", &ends)
        fields.member("created", &created)
        fields.member("last_seen", &lastSeen)
        fields.member("expires", &expires)
        fields.denial("unconfirmed", &isConfirmed)
        fields.member("token", &token)
        fields.member("slack_address", &slackAddress)
        fields.member("discord_address", &discordAddress)
    }
}

/// What a token is asked for by.
package struct TokenRequest: JSONObject, Equatable, Sendable, Confidential {
    /// The programs that a token is for check its form.
    package static let (ntfy, application, client) = (
        "ntfy", "gotify-application", "gotify-client"
    )
    package static let forms = [ntfy, application, client]

    package var name = ""
    /// Nil for all topics.
    package var pattern: String?
    /// The topic that it is for, instead of a pattern: with that one it ends.
    package var registration: String?
    package var form: String?
    /// If nothing is said, what is usual for its form.
    package var reads = false
    package var writes = false
    package var answers = false
    package var ends = false
    /// Seconds from now; nil for a token that does not end by itself.
    package var expires: Int?
    /// SHA-256 of a token that another server has made, in base64url; nil for a new one.
    package var hash: String?
    /// Nothing is made: the answer says what would be.
    package var isTrial = false

    package init() {}

    package mutating func fields(_ fields: inout JSONFields) {
        fields.member("name", &name)
        fields.member("hash", &hash)
        fields.flag("dry_run", &isTrial)
        fields.member("topic", &pattern)
        fields.member("registration", &registration)
        fields.member("form", &form)
        fields.flag("read", &reads)
        fields.flag("write", &writes)
        fields.flag("answer", &answers)
        fields.flag("end", &ends)
        fields.member("expires", &expires)
    }
}
