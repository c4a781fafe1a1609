import Base
package import Delivery

/// What waits for the application of a registration, or did until now.
package struct Waiting: Equatable, Sendable, Confidential {
    package var messages: [Message]
    package var signals: FetchSignals

    package static func == (left: Waiting, right: Waiting) -> Bool {
        left.messages.map(\.id) == right.messages.map(\.id) && left.signals == right.signals
    }
}
