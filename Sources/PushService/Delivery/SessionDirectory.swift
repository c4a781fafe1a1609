import System

/// The desks of a server, and the desk each device is connected to. Any thread may use it.
final class SessionDirectory: Sendable {
    private let desks = Lock<[DeliveryDesk]>([])
    private let places = Lock<[UInt32: DeliveryDesk]>([:])

    /// Call this before the loops run. Returns the desk's number.
    func enter(_ desk: DeliveryDesk) -> Int {
        desks.withLock { desks in
            desks.append(desk)
            return desks.count - 1
        }
    }

    var all: [DeliveryDesk] { desks.withLock { $0 } }

    /// Nil once the server has ended.
    func desk(ofLoop number: Int) -> DeliveryDesk? {
        desks.withLock { $0.indices.contains(number) ? $0[number] : nil }
    }

    func desk(of device: UInt32) -> DeliveryDesk? { places.withLock { $0[device] } }

    /// Connects the device to `desk`. Returns the desk it was connected to before.
    func claim(_ device: UInt32, for desk: DeliveryDesk) -> DeliveryDesk? {
        places.withLock { places in
            defer { places[device] = desk }
            return places[device]
        }
    }

    /// Does nothing if the device is connected to another desk already.
    func release(_ device: UInt32, by desk: DeliveryDesk) {
        places.withLock { places in
            if places[device] === desk { places[device] = nil }
        }
    }

    /// Call this after the loops have ended.
    func forgetAll() {
        for desk in desks.withLock({ $0 }) { desk.forgetAll() }
        desks.withLock { $0 = [] }
        places.withLock { $0 = [:] }
    }
}
