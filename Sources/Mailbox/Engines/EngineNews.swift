import Base
package import Notifications

/// News from an engine, sent once it is on the disk.
package struct EngineNews: Sendable, Confidential {
    package enum Content: Sendable {
        /// Updates for all clients.
        case updates([Update])
        /// Updates of which some are owed: those are for fetchers, or for viewers if there are
        /// none. The updates until `through` count as fetched once a fetcher has them.
        case owed([Update], through: Int64, hasFetchers: Bool)
        /// The same from another store. `through` is nil if nothing of it is owed.
        case words([EngineWord], through: Int64?, hasFetchers: Bool)
        /// An answer for the client that asked.
        case answer([UInt8], client: UInt64)
        /// The state a client starts with; later news is for that client too.
        case welcome([Update], through: Int64, client: UInt64)
        case signal(HandedSignal)
        /// When the engine next has something to do by itself.
        case deadline(Double?)
        /// The engine no longer exists.
        case ended
        /// Nobody here knows what happens at other stores: clients are better off with another node.
        case isCutOff
    }

    /// A fetcher confirms it. Without a fetcher it goes to viewers, and one of them confirms it.
    package struct HandedSignal: Sendable {
        package let signal: FetchSignal
        /// How many of its pushes the clients have not been told about.
        package let count: Int
        package let device: UInt32
        package let registration: RegistrationID
        /// The program that is to fetch, by its name on the session bus.
        package let service: String?
        package let hasFetchers: Bool
    }

    package let engine: UInt32
    package let content: Content
}
