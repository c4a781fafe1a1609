package import Base

/// How a topic is reached, and what it keeps, in requests and in answers.
///
/// Secret addresses are only in the answer to the request that makes them.
package struct TopicDetails: JSONObject, Equatable, Sendable, Confidential {
    /// Where its owner pushes to it by its name; nil if the name cannot be in an address.
    package var address: String?
    /// Programs on the server's machine may push to that address.
    package var isLocal = false
    /// Everybody may push to that address.
    package var isOpen = false
    /// It has a secret address for pushing, and one for reading.
    package var isSecret = false
    package var isSecretlyRead = false
    /// For how many seconds it keeps messages; 0 for not at all, nil for as long as the server says.
    package var keep: Int?
    /// Any JSON is text, also that of a service that is known.
    package var isRaw = false
    /// Hosts of a home or of this machine, to which buttons may send requests.
    package var inside: [String] = []
    /// `here` if what somebody closes on one screen stays on the others; nil for `everywhere`.
    package var dismiss: String?
    /// Whose messages have the pictures to which they link: `all` or `off`; nil for the owner's own.
    package var pictures: String?
    package var secretAddress: String?
    package var readingAddress: String?
    /// What people call it, and what it is to clients of Gotify. In answers nil if nobody has said it.
    package var application: ApplicationDetails?

    package init() {}

    package mutating func fields(_ fields: inout JSONFields) {
        fields.member("address", &address)
        fields.flag("local", &isLocal)
        fields.flag("open", &isOpen)
        fields.flag("secret", &isSecret)
        fields.flag("secret_read", &isSecretlyRead)
        fields.member("keep", &keep)
        fields.flag("raw", &isRaw)
        fields.texts("inside", &inside)
        fields.member("dismiss", &dismiss)
        fields.member("pictures", &pictures)
        fields.member("secret_address", &secretAddress)
        fields.member("reading_address", &readingAddress)
        fields.member("application", &application)
    }
}

extension TopicDetails {
    /// What a request has to repeat of it, because else it ends.
    package var settings: TopicDetails {
        var settings = self
        settings.application = nil
        (settings.address, settings.isLocal) = (nil, false)
        (settings.secretAddress, settings.readingAddress) = (nil, nil)
        return settings
    }
}

/// How a topic looks to people, and to clients of Gotify.
package struct ApplicationDetails: JSONObject, Equatable, Sendable, Confidential {
    package var name = ""
    package var description = ""
    /// Of messages whose senders say none.
    package var priority = 0
    package var sortKey = ""

    package init() {}

    package mutating func fields(_ fields: inout JSONFields) {
        fields.text("name", &name)
        fields.text("description", &description)
        fields.member("priority", &priority)
        fields.text("sort_key", &sortKey)
    }
}
