import Base
package import Delivery

/// The messages and signals that wait for a registration's application, or just did.
package struct Waiting: Equatable, Sendable, Confidential {
    package var messages: [Message]
    package var signals: FetchSignals

    package static func == (left: Waiting, right: Waiting) -> Bool {
        left.messages.map(\.id) == right.messages.map(\.id) && left.signals == right.signals
    }
}
