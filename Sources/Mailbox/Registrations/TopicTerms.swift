package import Base
package import Notifications
package import Topics
package import WebPush

/// How others may use a topic, and what it keeps.
package struct TopicTerms: Equatable, Sendable, Confidential {
    /// Everybody may push to its name.
    package var isOpen = false
    /// A name under which those who know it may push.
    package var secretName: TopicName?
    /// A name under which those who know it may read.
    package var readingName: TopicName?
    /// For how many seconds it keeps its messages; 0 for not at all, nil for as long as the server
    /// says.
    package var lifetime: UInt32?
    /// Any JSON is text, also that of a service that is known.
    package var isRaw = false
    /// Hosts of a home or of this machine, to which buttons may send requests.
    package var inside = NamedHosts()
    package var dismissal = DismissalReach.everywhere
    package var pictures = LinkedPicturesFrom.owner
    /// What it is to clients of Gotify.
    package var application = ApplicationTerms()

    package init() {}

    /// It is neither open nor found by a secret name.
    package var isPrivate: Bool { !isOpen && secretName == nil && readingName == nil }

    var isUsual: Bool { self == TopicTerms() }
}

/// Whose messages have pictures to which they only link. The server fetches those, so a sender makes it
/// dial. The words are stored, and those of the API.
package enum LinkedPicturesFrom: String, CaseIterable, Sendable {
    /// Senders with a credential of the topic's owner.
    case owner = "own"
    case everybody = "all"
    case nobody = "off"

    package func allows(_ content: TopicContent) -> Bool {
        self == .everybody || self == .owner && content.isByOwner
    }
}

extension TopicTerms {
    package static let lifetimes: ClosedRange<UInt32> = 0...31_536_000

    /// Reads the members of its record.
    init(_ object: JSONNode) throws(RegistrationTerms.Fault) {
        var members = try RegistrationMembers(object)
        isOpen = try members.flag("open") ?? false
        lifetime = try members.seconds("keep", Self.lifetimes)
        isRaw = try members.flag("raw") ?? false
        dismissal = try members.dismissal()
        pictures = try LinkedPicturesFrom(&members)
        secretName = try Self.name(&members, "secret_name")
        readingName = try Self.name(&members, "reading_name")
        inside = try members.hosts("inside")
        if let object = try members.object("application") {
            application = try ApplicationTerms(object)
        }
        try members.expectNoOthers()
    }

    private static func name(
        _ members: inout RegistrationMembers, _ member: String
    ) throws(RegistrationTerms.Fault) -> TopicName? {
        guard let text = try members.text(member) else { return nil }
        guard let name = TopicName(text), text.hasPrefix(TopicName.secretPrefix) else {
            throw RegistrationTerms.Fault("\(member) is no name of a topic")
        }
        return name
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            if isOpen { writer.member("open", true) }
            if let secretName { writer.member("secret_name", secretName.text) }
            if let readingName { writer.member("reading_name", readingName.text) }
            if let lifetime { writer.member("keep", Int(lifetime)) }
            if isRaw { writer.member("raw", true) }
            if !inside.isEmpty {
                writer.name("inside")
                writer.array { writer in inside.names.forEach { writer.string($0) } }
            }
            if dismissal != .everywhere { writer.member("dismiss", dismissal.rawValue) }
            if pictures != .owner { writer.member("pictures", pictures.rawValue) }
            if !application.isUsual {
                writer.name("application")
                application.write(to: &writer)
            }
        }
    }
}

extension RegistrationMembers {
    package mutating func dismissal() throws(RegistrationTerms.Fault) -> DismissalReach {
        guard let word = try text("dismiss") else { return .everywhere }
        guard let reach = DismissalReach(rawValue: word) else {
            throw RegistrationTerms.Fault("dismiss is everywhere or here")
        }
        return reach
    }
}

extension LinkedPicturesFrom {
    /// Reads the member `pictures`.
    package init(_ members: inout RegistrationMembers) throws(RegistrationTerms.Fault) {
        guard let word = try members.text("pictures") else {
            self = .owner
            return
        }
        guard let known = LinkedPicturesFrom(rawValue: word) else {
            throw RegistrationTerms.Fault("pictures must be own, all or off")
        }
        self = known
    }
}

extension RegistrationTerms {
    /// Of a topic that is made by its name alone.
    package static func topic(
        _ name: TopicName, _ topic: TopicTerms = TopicTerms()
    ) -> RegistrationTerms {
        var terms = RegistrationTerms(
            tokenType: .webPush, app: AccountName.scripts, account: name.text, dialect: .plain)
        // What is pushed is for a screen of the owner alone.
        terms.trustsClear = true
        terms.topic = topic
        return terms
    }

    /// What a new topic of its owner is asked for by: the body of a request to the API.
    package static func request(
        topic name: String, _ dialect: Dialect = .plain, _ details: TopicDetails? = nil
    ) -> [UInt8] {
        JSONWriter.object { writer in
            writer.member("token_type", TokenType.webPush.rawValue)
            writer.member("app", AccountName.scripts)
            writer.member("account", name)
            writer.member("dialect", dialect.word)
            writer.member("clear", true)
            // The owner gives the address only to what may show notifications, with links.
            writer.member("trust_clear", true)
            writer.member("expires", Int(lifetimes.upperBound))
            var details = details
            writer.fields { $0.member("topic", &details) }
        }
    }

    /// The name of its topic; nil if it is none, or its name cannot be in an address.
    package var topicName: TopicName? { isOnlyShown ? TopicName(account) : nil }
}

extension Registration {
    /// What people call its topic or account, on the page and in clients of Gotify.
    package var title: String {
        let title = terms.topic.application.name
        return title.isEmpty ? terms.name : title
    }

    /// The names under which its topic is found.
    var topicNames: [TopicNaming] {
        guard let name = terms.topicName else { return [] }
        var names: [TopicNaming] = [.own(name, owner: owner)]
        if terms.topic.isOpen { names.append(.open(name)) }
        if let secret = terms.topic.secretName { names.append(.secret(secret)) }
        if let secret = terms.topic.readingName { names.append(.secretForReading(secret)) }
        return names
    }
}
