import Base
package import Notifications

/// Something that an engine has to tell, once it is on the disk.
package struct EngineNews: Sendable, Confidential {
    package enum Content: Sendable {
        /// For all clients.
        case updates([Update])
        /// For the one who asked.
        case answer([UInt8], client: UInt64)
        /// What a client begins with; what comes after it is for that client too.
        case welcome([Update], client: UInt64)
        /// To be confirmed once a client has it. `service`: the program that is to fetch, by its name
        /// on the session bus.
        case signal(
            FetchSignal, device: UInt32, registration: RegistrationID, service: String?)
        /// When something is due on its own.
        case deadline(Double?)
        /// There is no such engine any more.
        case ended
    }

    package let engine: UInt32
    package let content: Content
}
