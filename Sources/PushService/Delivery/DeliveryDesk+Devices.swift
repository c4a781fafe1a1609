import Base
import Crypto
import Delivery
import Mailbox
import System
import WebPush

import enum Notifications.TrustLevel

/// Devices connected to this loop.
extension DeliveryDesk {
    /// Connects the device to this loop, and ends its connection on another one. The desk calls
    /// `attached` once that has ended.
    func attach(_ connection: UserAgentConnection, device: UInt32) {
        guard let former = claim(connection, device: device) else { return connection.attached() }
        let ticket = operations.put(.arrival(connection))
        former.loop.post {
            former.dismiss(device)
            self.loop.post {
                if case .arrival(let connection)? = self.operations.remove(ticket) {
                    connection.attached()
                }
            }
        }
    }

    /// Returns the other desk to which the device was connected.
    @discardableResult
    func claim(_ connection: UserAgentConnection, device: UInt32) -> DeliveryDesk? {
        let former = directory.claim(device, for: self)
        connections.updateValue(connection, forKey: device)?.replaced()
        return former === self ? nil : former
    }

    /// Ends the device's connection here, unless it has come back meanwhile.
    private func dismiss(_ device: UInt32) {
        if directory.desk(of: device) !== self { connections[device]?.replaced() }
    }

    func detach(_ connection: UserAgentConnection, device: UInt32) {
        guard connections[device] === connection else { return }
        connections[device] = nil
        directory.release(device, by: self)
    }

    /// Closes the connections of deleted devices.
    func end(_ devices: [UInt32]) {
        for device in devices { connections[device]?.replaced() }
    }

    /// Also those of user agents that have no device yet.
    func endAll() {
        for connection in sessions.all(UserAgentConnection.self) { connection.replaced() }
    }
}

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

/// Makes what needs an unguessable name.
extension DeliveryDesk {
    /// Nil if the machine cannot make random numbers.
    func makeEndpoint() -> (token: EndpointToken, digest: Digest)? {
        do throws(OpenSSLError) {
            let token = try mint.make()
            return (token, try mint.digest(of: token))
        } catch {
            return nil
        }
    }

    /// What an engine shows can be taken back by a location that only tells this server its device.
    func makeMessage(
        _ content: consuming MessageContent, _ level: TrustLevel? = nil, to address: Address,
        _ reservation: consuming Reservation = Reservation(), isShown: Bool = false
    ) throws(PushRefusal) -> Message {
        do throws(OpenSSLError) {
            #if PLANTED
                let id =
                    PlantedMistake.idIsRow.isMade
                    ? MessageID(high: 0, low: UInt64(service.index.nextSequence()))
                    : try MessageID(from: &random)
            #else
                let id = try MessageID(from: &random)
            #endif
            let expiry = service.store.clock.now.adding(seconds: content.ttl)
            let location =
                isShown
                ? try mint.location(for: address.device) : try LocationID(from: &random)
            return Message(
                id: id, location: location, address: address,
                sequence: service.index.nextSequence(), content: consume content,
                level: level, arrival: Int64(service.now() * 1_000), expiry: expiry,
                reservation: reservation)
        } catch {
            throw .unavailable
        }
    }
}

/// Values that wait for an answer, each under a number that comes back with it.
struct SlotTable<Value> {
    private struct Slot {
        var value: Value?
        var generation: UInt32
    }

    private var slots: [Slot] = []
    private var vacant: [UInt32] = []
    /// The generation of new slots, so that no number is used twice.
    private var generation: UInt32 = 0

    /// Frees the memory of a burst.
    private static var roomToKeep: Int { 4_096 }

    mutating func put(_ value: consuming Value) -> UInt64 {
        if let index = vacant.popLast() {
            slots[Int(index)].value = value
            return Self.number(index, slots[Int(index)].generation)
        }
        slots.append(Slot(value: value, generation: generation))
        return Self.number(UInt32(slots.count - 1), generation)
    }

    /// Nil if the number was taken before.
    mutating func remove(_ number: UInt64) -> Value? {
        let index = Int(number & 0xFFFF_FFFF)
        guard index < slots.count, slots[index].generation == UInt32(number >> 32) else {
            return nil
        }
        slots[index].generation &+= 1
        vacant.append(UInt32(index))
        defer { if vacant.count == slots.count { forgetBurst() } }
        return slots[index].value.take()
    }

    private mutating func forgetBurst() {
        guard slots.count > Self.roomToKeep else { return }
        generation = (slots.map(\.generation).max() ?? generation) &+ 1
        slots = []
        vacant = []
    }

    private static func number(_ index: UInt32, _ generation: UInt32) -> UInt64 {
        UInt64(generation) << 32 | UInt64(index)
    }
}
