import Topics

/// What the tokens of a user open here: of what they opened there, that which is taken. They must not
/// open what else the new owner has, now or later.
enum TokenScope {
    /// `former`: the pattern of its user, if that says something else. `isWider`: it may open what was
    /// not taken, too.
    case rights(TopicPattern, TopicRights, former: String?, isWider: Bool)
    case none(String)

    /// `wished`: the user who has said to be the new owner.
    init(
        of user: ForeignServer.User, _ topics: [ImportPlan.Topic], for wished: String?,
        from product: String
    ) {
        if product == "Gotify" {
            self.init(ofClientOf: user, topics)
        } else if user.hasUnreadableGrants {
            self = .none("not all rights of its user can be read: make a token")
        } else if user.isAdministrator {
            let all = ForeignServer.Grant(usual: .usual)
            // Nobody becomes an administrator here.
            let isOther = wished != nil && wished != user.name
            self.init(isOther ? [] : all.map { [$0] } ?? [], topics, isOwn: user.name == wished)
        } else if let grants = user.grants {
            self.init(grants, topics, isOwn: user.name == wished)
        } else {
            self = .none("the server does not tell its rights: import the files")
        }
    }

    /// A client had all of its user. Here are others, so it has what is taken of that.
    private init(ofClientOf user: ForeignServer.User, _ topics: [ImportPlan.Topic]) {
        let names = topics.filter { $0.source.user == user.name }.map(\.name.text)
        guard let pattern = TopicPattern(names.joined(separator: ",")) else {
            self = .none(
                names.isEmpty
                    ? "its user has no topics" : "its user has too many topics for one token")
            return
        }
        self = .rights(pattern, [.read, .end], former: nil, isWider: false)
    }

    private init(
        _ grants: [ForeignServer.Grant], _ topics: [ImportPlan.Topic], isOwn: Bool
    ) {
        var (names, found) = ([String](), Set<TopicRights>())
        for topic in topics {
            let rights = grants.rights(on: topic.name)
            guard !rights.isEmpty else { continue }
            names.append(topic.name.text)
            found.insert(rights)
        }
        guard let rights = found.first else {
            self = .none("its user has no rights on what is taken")
            return
        }
        guard found.count == 1 else {
            self = .none(
                "its user has different rights on different topics: make tokens for them")
            return
        }
        let former = Set(grants.filter { !$0.rights.isEmpty }.map(\.pattern.text)).sorted()
        let text = former.joined(separator: ",")
        if let pattern = TopicPattern(names.joined(separator: ",")) {
            let isSame = former == names.sorted()
            self = .rights(pattern, rights, former: isSame ? nil : text, isWider: false)
        } else if isOwn, grants.allSatisfy({ $0.rights == rights }),
            let pattern = TopicPattern(text)
        {
            self = .rights(pattern, rights, former: nil, isWider: true)
        } else {
            self = .none(
                "its user has rights on too many topics: say by --user if that is you, or make a "
                    + "token with a pattern")
        }
    }
}
