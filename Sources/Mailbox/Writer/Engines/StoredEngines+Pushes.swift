import Delivery
import Notifications
import System

/// Pushes.
extension StoredEngines {
    /// Gives a payload to the engines it is for and keeps it for fetching. The outcome says whether
    /// it was not allowed to change what arrived with better protection.
    func receive(
        _ message: Message, _ mark: ReplayMark?, _ push: EnginePush
    ) throws(StoreFault) -> (outcome: StoreOutcome, isOutranked: Bool) {
        let body = message.content.body
        guard !index.setAside.contains(.payload, body.span) else {
            return (try keep(message, push, .unavailable), false)
        }
        var isOutranked = false
        let outcome = try engine(push.engine) { own throws(StoreFault) in
            let isThere = try rows.has(subscription: message.address.subscription)
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
                let outcome = try engine(row) { engine throws(StoreFault) in
                    try Underway.mark(.payload, body.span, subject: row) {
                        () throws(StoreFault) in try process(message, push, by: engine)
                    }
                }
                isOutranked = isOutranked || outcome == .registration(.outranked)
            }
            return .done
        }
        return (try keep(message, push, outcome), isOutranked)
    }

    /// Without listeners, the payload waits to be fetched.
    private func keep(
        _ message: Message, _ push: EnginePush, _ outcome: StoreOutcome
    ) throws(StoreFault) -> StoreOutcome {
        guard message.needsStore, outcome == .done else { return outcome }
        guard push.isFetched, !index.engines.hasFetchers(push.engine) else {
            transaction.effects.keepMark(of: message, in: index)
            return .done
        }
        return try messages.store(message)
    }

    private func process(
        _ message: Message, _ push: EnginePush, by engine: LoadedEngine
    ) throws(StoreFault) -> StoreOutcome {
        // RFC 8030 section 5.2: deliver it now or never.
        guard message.content.ttl > 0 || index.engines.hasListeners(engine.row) else {
            return .done
        }
        let level = message.content.level ?? .clear
        _ = engine.hosted.process(
            message.content.body, push.dialect, level,
            isTrusted: push.trustsClear && level == .clear, now: wall)
        if engine.hosted.engine.account.owed.keepsRaw {
            engine.hosted.keepRaw(
                message.content.body, encoding: message.content.encoding?.rawValue ?? "clear",
                now: wall)
        }
        return try finish(engine, push: message.address.device)
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
