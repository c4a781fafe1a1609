import Base
package import WebPush

/// A topic of a visitor, as the pages show it.
package struct OwnTopic: Sendable, Confidential {
    package var id = ""
    /// The name that it has in addresses.
    package var name = ""
    package var details = TopicDetails()
    /// The service whose webhook is heard there; nil for texts.
    package var service: String?
    /// Nobody sees what comes, because no screen is connected.
    package var isUnheard = false
    package var messages = 0
    package var bytes = 0
    /// When the last message came, in seconds since 1970; nil if that is not known.
    package var last: Int?
    /// Those that open it; nil in a list that is too long to say it.
    package var tokens: [ListedToken]? = []
    /// The last one since the server was started.
    package var refusal: ListedRefusal?

    package init() {}

    /// What its owner calls it.
    var title: String {
        let title = details.application?.name ?? ""
        return title.isEmpty ? name : title
    }

    var purpose: String { details.application?.description ?? "" }
    var place: String { "/ui/topics/\(id)" }
}

/// How long a topic makes no sound.
package enum TopicQuiet: Equatable, Sendable {
    /// Its engine has not said it.
    case unknown
    case none
    /// In seconds; nil without an end.
    case muted(rest: Int?)
}
