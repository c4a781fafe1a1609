import Base
import Topics
import WebPush

/// What is taken of another server, for whoever asks, and what is not and why.
///
/// Nothing gets more rights than it had. A token keeps those of its user on what is taken, or is not
/// taken; nobody becomes an administrator; and no topic is opened that was not named for that.
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
        /// What it opened before, if that is not the same.
        var former: String?
        /// It may open what was not taken, too.
        var isWider = false
    }

    /// Something that is not taken.
    struct Refusal: Confidential {
        enum Kind: String { case topic, token, user, table }

        let kind: Kind
        let name: String
        let reason: String
    }

    private(set) var topics: [Topic] = []
    private(set) var tokens: [Token] = []
    private(set) var refusals: [Refusal] = []
    private let server: ForeignServer
    private let wish: Wish
    private let users: [String: ForeignServer.User]
    /// Whose applications have a name.
    private var sharers: [String: Set<String>] = [:]
    /// Of the topics that are taken, by their keys.
    private var names: [String: TopicName] = [:]
    private var taken: Set<TopicName> = []
    /// How many applications would have had a name.
    private var attempts: [TopicName: Int] = [:]
    /// What the tokens of a user open.
    private var scopes: [String: TokenScope] = [:]

    init(_ server: ForeignServer, _ wish: Wish) throws {
        (self.server, self.wish) = (server, wish)
        users = Dictionary(server.users.map { ($0.name, $0) }) { first, _ in first }
        if let user = wish.user, !server.users.contains(where: { $0.name == user }) {
            throw CommandError.usage(
                "there is no user \(Printable.text(user))",
                hint: server.users.isEmpty
                    ? "no users are known: name the file that has them by --users"
                    : "users: "
                        + server.users.map { Printable.text($0.name, limit: 40) }
                        .joined(separator: ", "))
        }
        for rows in server.unreadable where rows.count > 0 {
            refuse(.table, rows.table, rows.words)
        }
        for topic in server.topics {
            if let user = topic.user { sharers[topic.name, default: []].insert(user) }
        }
        try limitWork()
        for topic in server.topics { add(topic) }
        if let name = wish.open.subtracting(taken.map(\.text)).min() {
            throw CommandError.usage("--open \(Printable.text(name)) is no topic that is taken")
        }
        for user in server.users {
            scopes[user.name] = TokenScope(
                of: user, topics, for: wish.user, from: server.product)
        }
        for token in server.tokens { add(token) }
        let holders = Set(tokens.map(\.user))
        for user in server.users where !holders.contains(user.name) { addPassword(of: user) }
    }

    /// Each right is held against each topic.
    private static let mostPairs = 10_000_000

    private func limitWork() throws {
        let grants = server.users.reduce(0) { $0 + ($1.grants?.count ?? 0) }
        guard server.topics.count * grants > Self.mostPairs else { return }
        throw CommandError(
            message: "\(server.topics.count) topics and \(grants) rights on them are more than can "
                + "be taken",
            hint: "delete topics or rights there that nobody needs, and import again")
    }

    /// Whether it all goes to another user.
    private func isOther(_ user: String) -> Bool { wish.user.map { $0 != user } ?? false }

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
        names[topic.key] = name
        taken.insert(name)
    }

    /// Applications may have any name, and the same one any number of times: the search goes on where
    /// that for the one before has ended.
    private mutating func freeName(for topic: ForeignServer.Topic) -> TopicName? {
        guard let first = TopicName(ofApplication: topic.name, attempt: 0) else { return nil }
        for attempt in (attempts[first] ?? 0)...topics.count {
            let name = TopicName(ofApplication: topic.name, attempt: attempt)
            guard let name, !taken.contains(name) else { continue }
            attempts[first] = attempt
            return name
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
            let others = sharers[topic.name]?.subtracting([owner]) ?? []
            guard wish.user == nil, !others.isEmpty else { return nil }
            return "several users have it: say whose by --user"
        }
        let holders = holders(of: name)
        guard let user = wish.user else {
            guard holders.count > 1 else { return nil }
            return "several users have it: say by --user to whom it goes"
        }
        let isAdministrator = users[user]?.isAdministrator == true
        return isAdministrator || holders.contains { $0.name == user } ? nil : "it is not \(user)'s"
    }

    /// Who had a right on it of their own. Administrators have all rights.
    private func holders(of name: TopicName) -> [ForeignServer.User] {
        server.users.filter { user in
            !user.isAdministrator && user.grants?.rights(on: name).isEmpty == false
        }
    }
}

/// Tokens.
extension ImportPlan {
    private static let nameLimit = 60

    private mutating func add(_ token: ForeignServer.Token) {
        let label = token.label.isEmpty ? token.user : "\(token.user): \(token.label)"
        let name = Printable.onScreen(label, limit: Self.nameLimit)
        if isOther(token.user), server.product == "Gotify" { return }
        guard let form = TopicToken(token.text)?.form else {
            return refuse(.token, name, Self.reason(againstForm: token.text))
        }
        if let key = token.topic {
            guard let topic = names[key] else {
                return refuse(.token, name, "its topic is not taken")
            }
            guard form == .application else {
                return refuse(.token, name, "it is no application's")
            }
            return tokens.append(
                Token(
                    name: name, user: token.user, text: token.text, form: form, pattern: nil,
                    topic: topic, rights: .write, end: token.end))
        }
        guard form != .application, let scope = scopes[token.user] else {
            return refuse(.token, name, "nobody has it")
        }
        switch scope {
        case .rights(let pattern, let rights, let former, let isWider):
            tokens.append(
                Token(
                    name: name, user: token.user, text: token.text, form: form, pattern: pattern,
                    topic: nil, rights: rights, end: token.end, former: former, isWider: isWider))
        case .none(let reason): refuse(.token, name, reason)
        }
    }

    private static func reason(againstForm text: String) -> String {
        if text.isEmpty || text.hasPrefix("gtfy") {
            return "Gotify 3 keeps only what checks it: make a new one"
        }
        return "it has no form that is known here: make a new one"
    }

    /// Nobody has a password here. Others who share a topic get a new token in its place.
    private mutating func addPassword(of user: ForeignServer.User) {
        guard server.product == "ntfy", user.grants != nil else { return }
        guard isOther(user.name) else {
            return refuse(.user, user.name, "there are no passwords here: make a token")
        }
        guard case .rights(let pattern, let rights, let former, _) = scopes[user.name] else {
            return
        }
        tokens.append(
            Token(
                name: Printable.onScreen(user.name, limit: Self.nameLimit), user: user.name,
                text: nil, form: .access, pattern: pattern, topic: nil, rights: rights, end: nil,
                former: former))
    }
}
