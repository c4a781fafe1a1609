import Testing

@testable import Topics

@Suite("Who reaches which topic")
struct TopicAccessTests {
    enum Outcome: Equatable {
        case to(TopicAccess), refused(AccessRefusal)
    }

    private static func outcome(
        _ caller: TopicCaller, _ use: TopicUse, _ name: TopicName, _ known: KnownName
    ) -> Outcome {
        do throws(AccessRefusal) {
            return .to(try TopicAccess(caller, use, name, known))
        } catch {
            return .refused(error)
        }
    }

    private static func name(_ text: String) throws -> TopicName { try #require(TopicName(text)) }

    private static func terms(
        _ pattern: String, _ rights: TopicRights, _ form: TopicToken.Form = .access
    ) throws -> TokenTerms { TokenTerms(form, try #require(TopicPattern(pattern)), rights) }

    /// Everything that a store may know of a name.
    private static let knowledge: [KnownName] = {
        let publicities: [KnownName.Publicity?] = [nil] + KnownName.Publicity.allCases
        return [false, true].flatMap { isOwn in
            publicities.flatMap { publicity in
                [false, true].flatMap { isSame in
                    [false, true].map { isFull in
                        var known = KnownName()
                        (known.isOwn, known.publicity) = (isOwn, publicity)
                        (known.isSame, known.isFull) = (isSame, isFull)
                        return known
                    }
                }
            }
        }
    }()

    private static func tokens() throws -> [TokenTerms] {
        let all: TopicRights = [.read, .write, .answer, .end]
        return try TopicToken.Form.allCases.flatMap { form in
            try ["*", "builds", "b*", "s_*", "other*"].flatMap { pattern in
                try (0...all.rawValue).map { rights in
                    try terms(pattern, TopicRights(rawValue: rights), form)
                }
            }
        }
    }

    private static let names = ["builds", "s_3k9", "upAbCdEf012345", "other"]

    /// The rules, one after the other, as the documents say them.
    private static func expected(
        _ caller: TopicCaller, _ use: TopicUse, _ name: TopicName, _ known: KnownName
    ) -> Outcome {
        /// What the caller may do with a topic of its owner; nil if the name is nothing to it.
        var mayUse: Set<TopicUse>?
        var mayMake = false
        switch caller {
        case .impostor: return .refused(.wrongCredential)
        case .device(isReceiveOnly: false):
            mayUse = Set(TopicUse.allCases)
            mayMake = true
        case .device(isReceiveOnly: true): mayUse = [.read]
        case .thisMachine:
            mayUse = [.publish]
            mayMake = true
        case .token(let terms) where terms.pattern.matches(name):
            var uses: Set<TopicUse> = []
            if terms.rights.contains(.read), terms.form != .application { uses.insert(.read) }
            if terms.rights.contains(.write) { uses.formUnion([.publish, .end]) }
            if terms.rights.contains(.answer) { uses.insert(.answer) }
            if terms.rights.contains(.end) { uses.insert(.end) }
            mayUse = uses
            mayMake =
                terms.rights.contains(.write) && terms.pattern.text.contains("*")
                && terms.form != .application
        case .token, .stranger: break
        }
        mayMake = mayMake && [.publish, .read, .end].contains(use) && !name.text.hasPrefix("s_")
        let forEverybody: Bool =
            switch known.publicity {
            case nil: false
            case .secretForReading: use == .read
            case .open, .secret, .unifiedPush: use == .publish
            }
        let isUp = name.isUnifiedPush
        if known.isOwn, let mayUse {
            if mayUse.contains(use) || known.isSame && forEverybody { return .to(.own) }
            return .refused(.forbidden)
        }
        if forEverybody { return .to(.known) }
        if isUp && use == .publish { return .refused(.noSubscriber) }
        if mayMake && mayUse?.contains(use) == true {
            return known.isFull ? .refused(.tooManyTopics) : .to(.new)
        }
        return .refused(.forbidden)
    }

    @Test("Every caller, use, name and state of a name")
    func all() throws {
        let callers: [TopicCaller] =
            [
                .impostor, .stranger, .thisMachine, .device(isReceiveOnly: false),
                .device(isReceiveOnly: true),
            ] + (try Self.tokens().map { .token($0) })
        var seen: [Outcome] = []
        for name in try Self.names.map(Self.name) {
            for (caller, use) in callers.flatMap({ caller in
                TopicUse.allCases.map { (caller, $0) }
            }) {
                for known in Self.knowledge {
                    let outcome = Self.outcome(caller, use, name, known)
                    #expect(outcome == Self.expected(caller, use, name, known))
                    if !seen.contains(outcome) { seen.append(outcome) }
                }
            }
        }
        // Every outcome but that of a query which cannot be read.
        #expect(seen.count == 3 + AccessRefusal.allCases.count - 1)
    }

    @Test("A name that is nothing to a caller tells nothing, whether there is a topic or not")
    func secrecy() throws {
        let name = try Self.name("builds")
        let unconcerned: [TopicCaller] = [
            .stranger, .impostor, .token(try Self.terms("other*", [.read, .write, .answer])),
        ]
        for caller in unconcerned {
            for use in TopicUse.allCases {
                for known in Self.knowledge where known.isOwn {
                    var unknown = known
                    unknown.isOwn = false
                    let outcome = Self.outcome(caller, use, name, known)
                    #expect(outcome == Self.outcome(caller, use, name, unknown))
                }
            }
        }
    }

    private enum State { case unknown, own, ownOpen, openElsewhere, secret, secretForReading }

    private func known(_ state: State) -> KnownName {
        var known = KnownName()
        known.isOwn = state == .own || state == .ownOpen
        known.isSame = state == .ownOpen
        known.publicity =
            switch state {
            case .unknown, .own: nil
            case .ownOpen, .openElsewhere: .open
            case .secret: .secret
            case .secretForReading: .secretForReading
            }
        return known
    }

    @Test("The rows that people ask about")
    func rows() throws {
        let device = TopicCaller.device(isReceiveOnly: false)
        func token(_ pattern: String, _ rights: TopicRights) throws -> TopicCaller {
            .token(try Self.terms(pattern, rights))
        }
        let application = TopicCaller.token(try Self.terms("*", .usual, .application))
        let client = TopicCaller.token(try Self.terms("*", [.read, .end], .client))
        let no = Outcome.refused(.forbidden)
        let rows: [(TopicCaller, TopicUse, State, Outcome)] = [
            // Names are looked up at the caller's owner, then at everybody's, then made.
            (device, .publish, .own, .to(.own)), (device, .publish, .openElsewhere, .to(.known)),
            (device, .publish, .unknown, .to(.new)), (device, .read, .unknown, .to(.new)),
            (device, .end, .unknown, .to(.new)), (device, .answer, .unknown, no),
            (device, .publish, .ownOpen, .to(.own)), (device, .manage, .own, .to(.own)),
            (device, .manage, .unknown, no), (device, .answer, .own, .to(.own)),
            // Reading is never open to everybody, but by a secret name for it.
            (device, .read, .openElsewhere, .to(.new)), (.stranger, .read, .openElsewhere, no),
            (.stranger, .read, .secret, no), (.stranger, .read, .secretForReading, .to(.known)),
            (.stranger, .publish, .secretForReading, no), (.stranger, .publish, .unknown, no),
            (.stranger, .publish, .openElsewhere, .to(.known)),
            (.stranger, .publish, .secret, .to(.known)), (.stranger, .end, .openElsewhere, no),
            (.stranger, .answer, .openElsewhere, no),
            // A wrong credential is wrong everywhere.
            (.impostor, .publish, .openElsewhere, .refused(.wrongCredential)),
            (.impostor, .publish, .secret, .refused(.wrongCredential)),
            (.impostor, .read, .unknown, .refused(.wrongCredential)),
            // Programs of this machine only publish.
            (.thisMachine, .publish, .unknown, .to(.new)),
            (.thisMachine, .publish, .own, .to(.own)),
            (.thisMachine, .read, .own, no), (.thisMachine, .end, .own, no),
            (.thisMachine, .answer, .own, no), (.thisMachine, .manage, .own, no),
            (.thisMachine, .read, .unknown, no),
            // Tokens make topics only with the right to write, and a star.
            (try token("*", .usual), .publish, .unknown, .to(.new)),
            (try token("*", .usual), .read, .unknown, .to(.new)),
            (try token("*", .write), .publish, .unknown, .to(.new)),
            (try token("*", .write), .read, .unknown, no),
            (try token("*", .read), .read, .unknown, no),
            (try token("*", .read), .publish, .own, no),
            (try token("builds", .usual), .publish, .unknown, no),
            (try token("builds", .usual), .publish, .own, .to(.own)),
            (try token("x*", .usual), .publish, .own, no),
            (try token("x*", .usual), .publish, .openElsewhere, .to(.known)),
            (application, .publish, .unknown, no), (application, .publish, .own, .to(.own)),
            (client, .read, .own, .to(.own)), (client, .publish, .own, no),
            // A read token is no less than nobody at an open topic.
            (try token("*", .read), .publish, .ownOpen, .to(.own)),
            // Ending needs the right to write or its own; clients of Gotify have that.
            (try token("*", .read), .end, .own, no),
            (try token("*", .write), .end, .own, .to(.own)),
            (client, .end, .own, .to(.own)),
            // Answering is a right of its own.
            (try token("*", .usual), .answer, .own, no),
            (try token("*", .answer), .answer, .own, .to(.own)),
            (try token("*", [.read, .write, .answer]), .manage, .own, no),
            (.device(isReceiveOnly: true), .read, .own, .to(.own)),
            (.device(isReceiveOnly: true), .publish, .own, no),
            (.device(isReceiveOnly: true), .read, .unknown, no),
        ]
        let name = try Self.name("builds")
        for (index, row) in rows.enumerated() {
            #expect(Self.outcome(row.0, row.1, name, known(row.2)) == row.3, "row \(index)")
        }
    }

    @Test("A topic of UnifiedPush is written by everybody once a subscriber has made it")
    func unifiedPush() throws {
        let name = try Self.name("upAbCdEf012345")
        var made = KnownName()
        made.publicity = .unifiedPush
        let device = TopicCaller.device(isReceiveOnly: false)
        for caller in [device, .stranger, .thisMachine, .token(try Self.terms("x", .read))] {
            #expect(Self.outcome(caller, .publish, name, made) == .to(.known))
            // 507, because application servers forget the subscription after 403.
            let outcome = Self.outcome(caller, .publish, name, KnownName())
            #expect(outcome == .refused(.noSubscriber))
        }
        #expect(NtfyRefusal(.noSubscriber).http == 507)
        #expect(Self.outcome(.stranger, .read, name, made) == .refused(.forbidden))
        #expect(Self.outcome(device, .read, name, KnownName()) == .to(.new))
    }

    @Test("A secret name that is not known is not made")
    func secretNames() throws {
        let name = try Self.name("s_3k9")
        let outcome = Self.outcome(
            .device(isReceiveOnly: false), .publish, name, KnownName())
        #expect(outcome == .refused(.forbidden))
    }

    @Test(
        "Each refusal in ntfy's numbers and in Gotify's",
        arguments: [
            (AccessRefusal.wrongCredential, 40101, 401), (.forbidden, 40301, 403),
            (.badEncoding, 50001, 401), (.noSubscriber, 50701, 507), (.tooManyTopics, 42904, 429),
        ])
    func numbers(_ refusal: AccessRefusal, _ code: Int, _ status: Int) {
        #expect(NtfyRefusal(refusal).code == code)
        #expect(GotifyRefusal(refusal).status == status)
    }
}
