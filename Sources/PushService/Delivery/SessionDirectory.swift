import System

/// Which loop a device is connected to. For all threads.
final class SessionDirectory: Sendable {
    private let desks = Lock<[UInt32: DeliveryDesk]>([:])

    func desk(of device: UInt32) -> DeliveryDesk? { desks.withLock { $0[device] } }

    /// The device is here from now on. Answers where it was until now.
    func claim(_ device: UInt32, for desk: DeliveryDesk) -> DeliveryDesk? {
        desks.withLock { desks in
            defer { desks[device] = desk }
            return desks[device]
        }
    }

    /// It has gone from there, and may be elsewhere already.
    func release(_ device: UInt32, by desk: DeliveryDesk) {
        desks.withLock { desks in
            if desks[device] === desk { desks[device] = nil }
        }
    }
}
