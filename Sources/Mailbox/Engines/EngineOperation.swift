import Dialects
package import WebPush

import enum Notifications.OwedRole

/// What the store does for engines, whose accounts it keeps.
///
/// What comes of it is told to the engine's listeners, in the order of the commits; the outcome only
/// says whether it was done.
package enum EngineOperation: Sendable {
    /// A request of a client.
    case request(EngineClientID, [UInt8])
    /// A client wants to hear everything from here on. The first fetcher gets what waits.
    case join(EngineClientID, EngineRole)
    /// A client went, and was perhaps fetching, or the last who fetches.
    case leave(EngineClientID, isFetching: Bool)
    /// A client closes: what is held back is told.
    case release(engine: UInt32)
    /// Time has gone by.
    case advance(engine: UInt32)
    /// A client was told of a fetch signal, of this registration or one of the engine's.
    case confirm(MessageID, device: UInt32?, engine: UInt32)
    /// A fetcher was told everything that is to be known up to this.
    case heard(through: Int64, engine: UInt32)
    /// Clients are there: a sign of life of the registrations.
    case note(engine: UInt32)
}

/// What a client is there for.
package struct EngineRole: Equatable, Sendable {
    /// The application, which does what is to be done. A viewer only shows, and takes nothing away.
    package var isFetcher = true
    /// Whether it wants payloads as they come; nil where it does not say.
    package var takesRaw: Bool?

    package init(isFetcher: Bool = true, takesRaw: Bool? = nil) {
        self.isFetcher = isFetcher
        self.takesRaw = takesRaw
    }

    var owed: OwedRole {
        if !isFetcher { return .viewer }
        return takesRaw == true ? .rawFetcher : .fetcher
    }
}

/// A client of an engine, by a number that serves once.
package struct EngineClientID: Hashable, Sendable {
    package let engine: UInt32
    package let number: UInt64

    package init(engine: UInt32, number: UInt64) {
        self.engine = engine
        self.number = number
    }
}

/// An engine, as somebody finds it who wants to be its client.
package struct EngineRecord: Equatable, Sendable {
    package let row: UInt32
    package let owner: String
}
