import Crypto
import Delivery
import Notifications
import System

/// Pushes.
extension StoredEngines {
    /// Why a payload that was accepted had no effect, or not all of it.
    enum Lack {
        /// It was not allowed to change what arrived with better protection.
        case outranked
        case notUnderstood

        /// The word under which it is counted.
        var reason: String {
            switch self {
            case .outranked: "outranked"
            case .notUnderstood: "not-understood"
            }
        }

        var result: RegistrationResult {
            switch self {
            case .outranked: .outranked
            case .notUnderstood: .notUnderstood(reason: reason)
            }
        }
    }

    /// What the history of a topic says about a push.
    struct Origin {
        /// What others call the thing that it is about.
        var name: String?
        /// By what its picture is found; empty if it has none.
        var picture = ""
    }

    /// Gives a payload to the engines it is for and keeps it for fetching.
    func receive(
        _ message: Message, _ mark: ReplayMark?, _ push: EnginePush, from origin: Origin = Origin()
    ) throws(StoreFault) -> (outcome: StoreOutcome, lack: Lack?) {
        let body = message.content.body
        guard !index.setAside.contains(.payload, body.span) else {
            return (try keep(message, push, .unavailable), nil)
        }
        var lack: Lack?
        let outcome = try engine(push.engine) { own throws(StoreFault) in
            let isThere = try messages.has(subscription: message.address.subscription)
            guard isThere else { return .notFound }
            let destinations = try destinations(of: message, push)
            // Like this engine, all the others must be readable; otherwise nothing is done.
            for row in destinations {
                let answer =
                    try row == push.engine
                    ? room(for: message, own)
                    : engine(row) { engine throws(StoreFault) in try room(for: message, engine) }
                guard answer != .unavailable, answer != .full else { return answer }
            }
            if let mark, !marks.isNew(mark) { return .registration(.repeated) }
            for row in destinations {
                _ = try engine(row) { engine throws(StoreFault) in
                    try CrashMarker.mark(.payload, body.span, subject: row) {
                        () throws(StoreFault) in
                        let (outcome, found) = try process(message, push, from: origin, by: engine)
                        lack = lack ?? found
                        return outcome
                    }
                }
            }
            return .done
        }
        return (try keep(message, push, outcome), lack)
    }

    /// Without listeners, the payload waits to be fetched.
    private func keep(
        _ message: Message, _ push: EnginePush, _ outcome: StoreOutcome
    ) throws(StoreFault) -> StoreOutcome {
        guard message.needsStore, outcome == .done else { return outcome }
        guard isKept(message, push) else {
            transaction.effects.keepMark(of: message, in: index)
            return .done
        }
        return try messages.store(message)
    }

    private func isKept(_ message: Message, _ push: EnginePush) -> Bool {
        message.needsStore && push.isFetched && !index.engines.hasFetchers(push.engine)
    }

    private func process(
        _ message: Message, _ push: EnginePush, from origin: Origin, by engine: LoadedEngine
    ) throws(StoreFault) -> (outcome: StoreOutcome, lack: Lack?) {
        // RFC 8030 section 5.2: deliver it now or never.
        guard message.content.ttl > 0 || index.engines.hasListeners(engine.row) else {
            return (.done, nil)
        }
        let level = message.level ?? .clear
        let isLearning = engine.hosted.engine.account.policy == .learn
        let dialect = isLearning ? push.dialect.reader(of: message.content.body) : push.dialect
        let isTrusted = push.trustsClear && level == .clear
        // RFC 8030 section 5.4: a push replaces the former one of its topic, also on the screen.
        // Its sender can take it back.
        let name = if let name = origin.name { name } else { try messages.pushName(of: message) }
        let answer = engine.hosted.process(
            message.content.body, dialect, level, isTrusted: isTrusted, name: name,
            picture: origin.picture, now: wall)
        if engine.hosted.engine.account.owed.keepsRaw {
            engine.hosted.keepRaw(
                message.content.body,
                encoding: message.content.headers?.encoding.rawValue ?? "clear",
                now: wall)
        }
        let outcome = try finish(engine, push: message.address.device)
        if outcome == .registration(.outranked) { return (outcome, .outranked) }
        // 406 is no failure: the application was told to fetch.
        if case .error(code: 400, _) = answer { return (outcome, .notUnderstood) }
        return (outcome, nil)
    }

    /// The sender withdrew a push that waited: each engine that got it takes back what it shows.
    func withdraw(_ message: Message) throws(StoreFault) {
        guard let push = try transaction.registration(message.address.device)?.enginePush else {
            return
        }
        try withdraw(
            [try messages.pushName(of: message)], message.level ?? .clear,
            from: try destinations(of: message, push))
    }

    /// Takes back what has one of these names.
    func withdraw(_ names: [String], of registration: Registration) throws(StoreFault) {
        let push = registration.enginePush
        var rows = [push.engine]
        if !push.otherUserIDs.isEmpty {
            rows += try accounts(of: push.otherUserIDs, beside: push.engine)
        }
        try withdraw(names, nil, from: rows)
    }

    /// The first name that is known counts. Without a level, that of the push which took it counts: a stronger one about the same
    /// message may have changed what it showed.
    private func withdraw(
        _ names: [String], _ level: TrustLevel?, from rows: [UInt32]
    ) throws(StoreFault) {
        for row in rows {
            _ = try engine(row) { engine throws(StoreFault) in
                let shown = names.lazy.compactMap { name in
                    engine.hosted.engine.account.level(ofPush: name).map { (name, $0) }
                }
                guard let (name, known) = shown.first else { return .done }
                engine.hosted.withdraw(name: name, level ?? known, now: wall)
                return try finish(engine)
            }
        }
    }

    /// Waiting raw payloads are never dropped to make room for others.
    private func room(
        for message: Message, _ engine: LoadedEngine
    ) throws(StoreFault) -> StoreOutcome {
        let owed = engine.hosted.engine.account.owed
        guard owed.hasRoom(forRaw: message.content.body.count), try hasRoom(engine) else {
            return .full
        }
        return .done
    }
}

/// Which accounts a push goes to.
extension StoredEngines {
    /// An endpoint belongs to one account. A payload that names another user goes to that user's
    /// account. A payload without a user goes to all accounts of the same owner and application
    /// that share the endpoint; a registration limits how many those are.
    func destinations(of message: Message, _ push: EnginePush) throws(StoreFault) -> [UInt32] {
        guard push.dialect == .telegram, message.level != .mtproto,
            push.userID != nil || !push.otherUserIDs.isEmpty,
            let user = try? PushReceiver.id(of: message.content.body), user != push.userID
        else { return [push.engine] }
        if user == 0 {
            guard !push.otherUserIDs.isEmpty else { return [push.engine] }
            return [push.engine] + (try accounts(of: push.otherUserIDs, beside: push.engine))
        }
        // Perhaps the application has not said whose account this is.
        guard push.userID != nil || push.otherUserIDs.contains(user) else { return [push.engine] }
        return try accounts(of: [user], beside: push.engine)
    }

    /// Accounts whose registrations all have a secret are left out: this payload came without one.
    func accounts(
        of users: [Int64], beside engine: UInt32
    ) throws(StoreFault) -> [UInt32] {
        // Selects among the accounts of the same owner and application.
        let select = try transaction.connection.statement(
            """
            SELECT other.row FROM engine other JOIN engine own
            ON own.row = ?1 AND other.owner = own.owner AND other.app = own.app
            WHERE other.user = ?2 AND other.row <> own.row ORDER BY other.row LIMIT 1
            """, engine)
        var accounts: [UInt32] = []
        for user in users {
            let name = try transaction.hashing { key, hash throws(OpenSSLError) in
                try EngineNameHashes.user(user, key: key, &hash)
            }
            select.reset()
            try select.bind(name.span, at: 2)
            guard try select.step() else { continue }
            let row = UInt32(clamping: select.integer(0))
            if !accounts.contains(row),
                try transaction.registrations(of: row).contains(where: { $0.secret == nil })
            {
                accounts.append(row)
            }
        }
        return accounts
    }
}
