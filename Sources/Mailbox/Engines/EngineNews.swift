import Base
package import Notifications

/// Something that an engine has to tell, once it is on the disk.
package struct EngineNews: Sendable, Confidential {
    package enum Content: Sendable {
        /// For all clients.
        case updates([Update])
        /// With some that are owed: those are for fetchers, and for viewers only where there are none.
        /// `through`: what is to be known up to this is heard, once a fetcher has heard it.
        case owed([Update], through: Int64, hasFetchers: Bool)
        /// For the one who asked.
        case answer([UInt8], client: UInt64)
        /// What a client begins with; what comes after it is for that client too.
        case welcome([Update], through: Int64, client: UInt64)
        case signal(HandedSignal)
        /// When something is due on its own.
        case deadline(Double?)
        /// There is no such engine any more.
        case ended
    }

    /// To be confirmed once a fetcher has it. Where there is none, it is for viewers, one of which
    /// will say so.
    package struct HandedSignal: Sendable {
        package let signal: FetchSignal
        /// How many it stands for of which nobody was told.
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
