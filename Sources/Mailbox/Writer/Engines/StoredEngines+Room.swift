import Base
import Notifications

/// The bounds of accounts: of one, of all that an owner has, and of all there are.
extension StoredEngines {
    /// How long one that has no room is not looked at again, in seconds: that writes it.
    private static let fullTime: UInt32 = 10
    private static let smallPart = 16

    /// What the others have is not its own.
    func measureRoom(of engine: LoadedEngine) throws(StoreFault) {
        let growth = transaction.limits.growth
        let ofOwner = try transaction.share(of: engine.owner, .engine).bytes - engine.stateSize
        let ofAll = try transaction.share(.engine).bytes - engine.stateSize
        engine.room = min(growth.engine, growth.engines - ofOwner, growth.allEngines - ofAll)
    }

    /// Whether more may be kept in an account. One that lives from pushes forgets what is farthest
    /// from being seen; one whose data are a client's waits for that to remove something.
    func hasRoom(_ engine: LoadedEngine) throws(StoreFault) -> Bool {
        guard engine.mayBeFull else { return true }
        let now = transaction.time.now
        if let end = engine.isFullUntil, now < end { return false }
        try save(engine)
        // A small one is not what fills the room, and gives up nothing for others.
        if engine.weight > engine.room,
            engine.weight > transaction.limits.growth.engine / Self.smallPart
        {
            engine.hosted.engine.makeRoom()
            try save(engine)
        }
        let isFull = engine.weight > engine.room
        engine.isFullUntil = isFull ? now.adding(seconds: Self.fullTime) : nil
        return !isFull
    }

    /// What a client is answered whose request needs room that is not there; nil for one that does
    /// not.
    static func refusal(of request: [UInt8]) -> [UInt8]? {
        guard let request = try? JSONDocument(request).root,
            Engine.mayGrow(by: request["@type"]?.text ?? "")
        else { return nil }
        let outcome = Outcome.error(code: 429, message: "Too Many Requests: the account is full")
        return outcome.answer(extra: request["@extra"])
    }
}
