import Base
import Crypto
import Mailbox
import Notifications
import PushService
import Topics
import WebPush

/// What a request says about how others reach a topic, and what it keeps.
struct TopicRequest: Equatable {
    private var isOpen = false
    private var isSecret = false
    private var isSecretlyRead = false
    private var lifetime: UInt32?
    private var isRaw = false
    /// Nil if nothing is said about it.
    private var application: ApplicationTerms?
    private var inside = NamedHosts()
    private var dismissal = DismissalReach.everywhere
    private var pictures = LinkedPicturesFrom.owner

    /// What a request says that says nothing about it.
    init() {}

    init(_ object: JSONNode) throws(RegistrationTerms.Fault) {
        var members = try RegistrationMembers(object)
        isOpen = try members.flag("open") ?? false
        isSecret = try members.flag("secret") ?? false
        isSecretlyRead = try members.flag("secret_read") ?? false
        lifetime = try members.seconds("keep", TopicTerms.lifetimes)
        isRaw = try members.flag("raw") ?? false
        application = try members.object("application").map(Self.application)
        inside = try members.hosts("inside")
        dismissal = try members.dismissal()
        pictures = try LinkedPicturesFrom(&members)
        try members.expectNoOthers()
    }

    private static let textLimit = 1_024

    private static func application(
        _ object: JSONNode
    ) throws(RegistrationTerms.Fault) -> ApplicationTerms {
        let terms = try ApplicationTerms(object)
        guard terms.picture.isEmpty,
            [terms.name, terms.description, terms.sortKey].allSatisfy({
                $0.utf8.count <= textLimit
            })
        else { throw RegistrationTerms.Fault("application has a picture, or a text is too long") }
        return terms
    }

    /// The terms of the topic of `terms`. What it has stays: secret names are made only if it has
    /// none yet.
    func topic(
        of terms: RegistrationTerms, for caller: APICaller, _ admission: AdmissionRules
    ) throws(APIRefusal) -> TopicTerms {
        var topic = TopicTerms()
        topic.application = terms.topic.application
        guard self != TopicRequest() else { return topic }
        guard terms.isOnlyShown else { throw .badBody("topic is only for topics") }
        (topic.isOpen, topic.lifetime, topic.isRaw) = (isOpen, lifetime, isRaw)
        (topic.inside, topic.dismissal, topic.pictures) = (inside, dismissal, pictures)
        if var application {
            application.picture = topic.application.picture
            topic.application = application
        }
        do throws(OpenSSLError) {
            if isSecret { topic.secretName = try TopicName.secret(unless: terms.topic.secretName) }
            if isSecretlyRead {
                topic.readingName = try TopicName.secret(unless: terms.topic.readingName)
            }
        } catch { throw .unavailable }
        guard topic.isPrivate || terms.shortName != nil else {
            throw .badBody(
                "only a name of letters, digits, - and _ that is no other address can be open or "
                    + "secret")
        }
        // Everybody finds an open name, so on a closed server it is not for everybody to take one.
        guard
            !isOpen || terms.topic.isOpen || admission.registration == .open
                || caller.isAdministrator
        else { throw .notAllowed }
        return topic
    }
}

extension TopicTerms {
    /// The same with other secret names: the former ones lead nowhere any more.
    func renewed() throws(OpenSSLError) -> TopicTerms {
        var topic = self
        if secretName != nil { topic.secretName = try TopicName.secret() }
        if readingName != nil { topic.readingName = try TopicName.secret() }
        return topic
    }
}

extension RegistrationTerms {
    /// The name of its topic in addresses; nil if it has none.
    fileprivate var shortName: TopicName? {
        topicName.flatMap { name in
            name.isReserved || name.text.hasPrefix(TopicName.secretPrefix) ? nil : name
        }
    }
}

extension TopicName {
    fileprivate static func secret(
        unless former: TopicName? = nil
    ) throws(OpenSSLError) -> TopicName {
        if let former { return former }
        var random = RandomSupply()
        return TopicName(secret: Bits128(high: try random.word(), low: try random.word()))
    }
}

extension TopicDetails {
    /// Nil for a registration that is no topic. Secret addresses that `former` did not have are in it,
    /// and none without `former`.
    init?(
        of registration: Registration, _ settings: PushServiceSettings, after former: TopicTerms?
    ) {
        guard registration.terms.isOnlyShown else { return nil }
        let topic = registration.terms.topic
        func address(_ name: TopicName?) -> String? {
            name.map { "\(settings.baseURL)/\($0.text)" }
        }
        self.init {
            $0.address = address(registration.terms.shortName)
            // Without a credential, programs on this machine reach what is the administrator's.
            $0.isLocal =
                $0.address != nil && settings.registration == .open
                && registration.owner == ControlCaller.administrator.owner
            $0.isOpen = topic.isOpen
            $0.isSecret = topic.secretName != nil
            $0.isSecretlyRead = topic.readingName != nil
            $0.keep = topic.lifetime.map { Int($0) }
            $0.isRaw = topic.isRaw
            $0.inside = topic.inside.names
            if topic.dismissal != .everywhere { $0.dismiss = topic.dismissal.rawValue }
            if topic.pictures != .owner { $0.pictures = topic.pictures.rawValue }
            let application = ApplicationDetails(topic.application)
            if application != ApplicationDetails() { $0.application = application }
            guard let former else { return }
            if former.secretName != topic.secretName {
                $0.secretAddress = address(topic.secretName)
            }
            if former.readingName != topic.readingName {
                $0.readingAddress = address(topic.readingName)
            }
        }
    }
}

extension ApplicationDetails {
    /// Its picture is shown by Gotify's addresses alone.
    fileprivate init(_ terms: ApplicationTerms) {
        self.init {
            $0.name = terms.name
            $0.description = terms.description
            $0.priority = Int(terms.priority)
            $0.sortKey = terms.sortKey
        }
    }
}
