import Base
import Topics
import WebPush

/// What is taken of another server, for whoever asks, and what is not and why.
///
/// Nothing gets more rights than it had. A token keeps those of its user, or is not taken; nobody
/// becomes an administrator; and no topic is opened that was not named for that.
struct ImportPlan: Confidential {
    struct Wish {
        /// Of several users, this one's.
        var user: String?
        /// Names that everybody may push to.
        var open: Set<String> = []
    }

    struct Topic: Confidential {
        let source: ForeignServer.Topic
        let name: TopicName
        let isOpen: Bool
    }

    struct Token: Confidential {
        /// Its name in lists.
        let name: String
        let user: String
        /// Nil for a new token, for somebody who has a password only.
        let text: String?
        let form: TopicToken.Form
        /// Nil for the token of an application.
        let pattern: TopicPattern?
        /// The topic of an application.
        let topic: TopicName?
        let rights: TopicRights
        let end: Int64?
    }

    /// Something that is not taken.
    struct Refusal: Confidential {
        enum Kind: String { case topic, token, user }

        let kind: Kind
        let name: String
        let reason: String
    }

    private(set) var topics: [Topic] = []
    private(set) var tokens: [Token] = []
    private(set) var refusals: [Refusal] = []
    private let server: ForeignServer
    private let wish: Wish

    init(_ server: ForeignServer, _ wish: Wish) throws {
        (self.server, self.wish) = (server, wish)
        if let user = wish.user, !server.users.contains(where: { $0.name == user }) {
            throw CommandError.usage(
                "there is no user \(Printable.text(user))",
                hint: server.users.isEmpty
                    ? "no users are known: name the file that has them by --users"
                    : "users: "
                        + server.users.map { Printable.text($0.name, limit: 40) }
                        .joined(separator: ", "))
        }
        for topic in server.topics { add(topic) }
        let names = Set(topics.map(\.name.text))
        if let name = wish.open.subtracting(names).min() {
            throw CommandError.usage("--open \(Printable.text(name)) is no topic that is taken")
        }
        for token in server.tokens { add(token) }
        for user in server.users { addPassword(of: user) }
    }

    private mutating func refuse(_ kind: Refusal.Kind, _ name: String, _ reason: String) {
        refusals.append(Refusal(kind: kind, name: name, reason: reason))
    }
}

/// Topics.
extension ImportPlan {
    private mutating func add(_ topic: ForeignServer.Topic) {
        if let user = wish.user, let owner = topic.user, owner != user { return }
        let found = topic.application == nil ? TopicName(topic.name) : freeName(for: topic)
        guard let name = found else {
            return refuse(.topic, topic.name, "its name cannot be in an address")
        }
        if let reason = Self.reason(against: name) ?? reason(againstSharing: name, topic) {
            return refuse(.topic, topic.name, reason)
        }
        topics.append(
            Topic(source: topic, name: name, isOpen: wish.open.contains(name.text)))
    }

    /// Applications may have any name, and the same one twice.
    private func freeName(for topic: ForeignServer.Topic) -> TopicName? {
        for attempt in 0...topics.count {
            guard let name = TopicName(ofApplication: topic.name, attempt: attempt) else {
                continue
            }
            if !topics.contains(where: { $0.name == name }) { return name }
        }
        return nil
    }

    private static func reason(against name: TopicName) -> String? {
        if name.isReserved { return "the name is reserved" }
        if name.isUnifiedPush { return "it is an application's, which registers again by itself" }
        guard name.text.hasPrefix(TopicName.secretPrefix) else {
            // ntfy's applications exchange settings there.
            let isSync = name.text.hasPrefix("st_") && name.text.utf8.count == 16
            return isSync ? "an account of ntfy uses it for itself" : nil
        }
        return "names with s_ are made by bellwire topic add --secret"
    }

    private func reason(
        againstSharing name: TopicName, _ topic: ForeignServer.Topic
    ) -> String? {
        if let owner = topic.user {
            let others = server.topics.filter { other in
                other.name == topic.name && other.user.map { $0 != owner } ?? false
            }
            guard wish.user == nil, !others.isEmpty else { return nil }
            return "several users have it: say whose by --user"
        }
        let holders = holders(of: name)
        guard let user = wish.user else {
            guard holders.count > 1 else { return nil }
            return "several users have it: say by --user to whom it goes"
        }
        let isAdministrator = server.users.contains { $0.name == user && $0.isAdministrator }
        return isAdministrator || holders.contains { $0.name == user } ? nil : "it is not \(user)'s"
    }

    /// Who had a right on it of their own. Administrators have all rights.
    private func holders(of name: TopicName) -> [ForeignServer.User] {
        server.users.filter { user in
            !user.isAdministrator
                && (user.grants ?? []).contains { !$0.rights.isEmpty && $0.covers(name) }
        }
    }
}

/// Tokens.
extension ImportPlan {
    private static let nameLimit = 60

    private mutating func add(_ token: ForeignServer.Token) {
        let label = token.label.isEmpty ? token.user : "\(token.user): \(token.label)"
        let name = Printable.onScreen(label, limit: Self.nameLimit)
        if let user = wish.user, user != token.user, server.product == "Gotify" { return }
        guard let form = TopicToken(token.text)?.form else {
            return refuse(.token, name, Self.reason(againstForm: token.text))
        }
        if let key = token.topic {
            guard let topic = topics.first(where: { $0.source.key == key }) else {
                return refuse(.token, name, "its topic is not taken")
            }
            guard form == .application else {
                return refuse(.token, name, "it is no application's")
            }
            return tokens.append(
                Token(
                    name: name, user: token.user, text: token.text, form: form, pattern: nil,
                    topic: topic.name,
                    rights: .write, end: token.end))
        }
        guard form != .application, let user = server.users.first(where: { $0.name == token.user })
        else { return refuse(.token, name, "nobody has it") }
        switch scope(of: user) {
        case .rights(let pattern, let rights):
            tokens.append(
                Token(
                    name: name, user: token.user, text: token.text, form: form, pattern: pattern,
                    topic: nil,
                    rights: rights, end: token.end))
        case .none(let reason): refuse(.token, name, reason)
        }
    }

    private static func reason(againstForm text: String) -> String {
        if text.isEmpty || text.hasPrefix("gtfy") {
            return "Gotify 3 keeps only what checks it: make a new one"
        }
        return "it has no form that is known here: make a new one"
    }

    private enum Scope {
        case rights(TopicPattern, TopicRights)
        case none(String)
    }

    /// What somebody's token opens here: what it opened there, as far as one token can say it.
    private func scope(of user: ForeignServer.User) -> Scope {
        let isOther = wish.user.map { $0 != user.name } ?? false
        if server.product == "Gotify" { return scope(ofClientOf: user) }
        guard !user.isAdministrator || isOther else {
            return TopicPattern("*").map { .rights($0, .usual) } ?? .none("")
        }
        guard let grants = user.isAdministrator ? [] : user.grants else {
            return .none("the server does not tell its rights: import the files")
        }
        guard !isOther else { return scope(ofOther: grants) }
        guard let rights = grants.first?.rights, grants.allSatisfy({ $0.rights == rights }) else {
            return .none(
                grants.isEmpty
                    ? "its user has no rights"
                    : "its user has different rights on different topics: make tokens for them")
        }
        let text = grants.map(\.pattern.text).sorted().joined(separator: ",")
        guard !rights.isEmpty, let pattern = TopicPattern(text) else {
            return .none("its user has rights on too many topics: make a token with a pattern")
        }
        return .rights(pattern, rights)
    }

    /// Of somebody else's rights, those on what is taken.
    private func scope(ofOther grants: [ForeignServer.Grant]) -> Scope {
        var (names, found) = ([String](), Set<TopicRights>())
        for topic in topics {
            // The longest pattern counts, as for ntfy.
            let grant = grants.filter { $0.covers(topic.name) }
                .max { $0.pattern.text.utf8.count < $1.pattern.text.utf8.count }
            guard let grant, !grant.rights.isEmpty else { continue }
            names.append(topic.name.text)
            found.insert(grant.rights)
        }
        guard let rights = found.first else {
            return .none("its user has no rights on what is taken")
        }
        guard found.count == 1, let pattern = TopicPattern(names.joined(separator: ",")) else {
            return .none("its user has different rights on different topics: make tokens for them")
        }
        return .rights(pattern, rights)
    }

    /// A client had all of its user. Here are others, so it has what is taken of that.
    private func scope(ofClientOf user: ForeignServer.User) -> Scope {
        let names = topics.filter { $0.source.user == user.name }.map(\.name.text)
        guard let pattern = TopicPattern(names.joined(separator: ",")) else {
            return .none(
                names.isEmpty
                    ? "its user has no topics" : "its user has too many topics for one token")
        }
        return .rights(pattern, [.read, .end])
    }

    /// Nobody has a password here. Others who share a topic get a new token in its place.
    private mutating func addPassword(of user: ForeignServer.User) {
        guard server.product == "ntfy", user.grants != nil,
            !tokens.contains(where: { $0.user == user.name })
        else { return }
        let isOther = wish.user.map { $0 != user.name } ?? false
        guard isOther, case .rights(let pattern, let rights) = scope(of: user) else {
            if !isOther {
                refuse(.user, user.name, "there are no passwords here: make a token")
            }
            return
        }
        tokens.append(
            Token(
                name: Printable.onScreen(user.name, limit: Self.nameLimit), user: user.name,
                text: nil, form: .access, pattern: pattern, topic: nil, rights: rights, end: nil))
    }
}
