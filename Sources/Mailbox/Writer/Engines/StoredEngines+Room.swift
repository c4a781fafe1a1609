import Base
import Notifications

/// The limits of accounts: for one account, for all of one owner, and for all.
extension StoredEngines {
    /// Seconds until a full account is measured again, because that writes it.
    private static let fullTime: UInt32 = 10
    private static let smallPart = 16

    /// What is left for this engine once the others are counted.
    func measureRoom(of engine: LoadedEngine) throws(StoreFault) {
        let growth = transaction.limits.growth
        let ofOwner = try transaction.share(of: engine.owner, .engine).bytes - engine.stateSize
        let ofAll = try transaction.share(.engine).bytes - engine.stateSize
        engine.room = min(growth.engine, growth.engines - ofOwner, growth.allEngines - ofAll)
    }

    /// Whether an account may grow. One that grows by pushes drops what users are least likely to
    /// see; one whose data come from a client waits until the client removes something.
    func hasRoom(_ engine: LoadedEngine) throws(StoreFault) -> Bool {
        guard engine.mayBeFull else { return true }
        let now = transaction.time.now
        if let end = engine.isFullUntil, now < end { return false }
        guard !engine.isLarge(for: partSize) else {
            drafts.ask(engine.row)
            return !engine.isTooFull
        }
        try save(engine)
        if mayMakeRoom(in: engine, weighing: engine.weight) {
            try makeRoom(in: engine)
            try save(engine)
        }
        return !judgeRoom(of: engine)
    }

    func makeRoom(in engine: LoadedEngine) throws(StoreFault) {
        engine.hosted.makeRoom(now: wall)
        _ = try finish(engine)
    }

    /// A small account does not fill the room, so it drops nothing for the sake of others.
    func mayMakeRoom(in engine: LoadedEngine, weighing weight: Int) -> Bool {
        weight > engine.room && weight > transaction.limits.growth.engine / Self.smallPart
    }

    /// Whether a measured account is full.
    @discardableResult
    func judgeRoom(of engine: LoadedEngine) -> Bool {
        let isFull = engine.weight > engine.room
        engine.isFullUntil =
            isFull ? transaction.time.now.adding(seconds: Self.fullTime) : nil
        return isFull
    }

    /// The answer to a client's request that needs room when there is none; nil if it needs none.
    static func refusal(of request: [UInt8]) -> [UInt8]? {
        guard let request = try? JSONDocument(request).root,
            Engine.mayGrow(by: request["@type"]?.text ?? "")
        else { return nil }
        let outcome = Outcome.error(code: 429, message: "Too Many Requests: the account is full")
        return outcome.answer(extra: request["@extra"])
    }
}
