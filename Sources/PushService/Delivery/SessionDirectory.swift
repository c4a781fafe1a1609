import System

/// The desks of a server, and which of them a device is connected to. For all threads.
final class SessionDirectory: Sendable {
    private let desks = Lock<[DeliveryDesk]>([])
    private let places = Lock<[UInt32: DeliveryDesk]>([:])

    /// Before the loops run. Answers its number.
    func enter(_ desk: DeliveryDesk) -> Int {
        desks.withLock { desks in
            desks.append(desk)
            return desks.count - 1
        }
    }

    var all: [DeliveryDesk] { desks.withLock { $0 } }

    /// Nil at the end.
    func desk(ofLoop number: Int) -> DeliveryDesk? {
        desks.withLock { $0.indices.contains(number) ? $0[number] : nil }
    }

    func desk(of device: UInt32) -> DeliveryDesk? { places.withLock { $0[device] } }

    /// The device is here from now on. Answers where it was until now.
    func claim(_ device: UInt32, for desk: DeliveryDesk) -> DeliveryDesk? {
        places.withLock { places in
            defer { places[device] = desk }
            return places[device]
        }
    }

    /// It has gone from there, and may be elsewhere already.
    func release(_ device: UInt32, by desk: DeliveryDesk) {
        places.withLock { places in
            if places[device] === desk { places[device] = nil }
        }
    }

    /// Once the loops have ended.
    func forgetAll() {
        for desk in desks.withLock({ $0 }) { desk.forgetAll() }
        desks.withLock { $0 = [] }
    }
}
