/// What was sent on one connection and is not acknowledged yet.
///
/// Holds no memory until something is outstanding, and keeps only little of it afterwards.
package struct DeliveryWindow: Sendable {
    private struct Delivery: Sendable {
        let id: MessageID
        let length: UInt32
    }

    package static let countLimit = 128
    /// Of bodies together. One alone is always let through.
    package static let byteLimit = 1 << 20

    private var deliveries: [Delivery] = []
    private var bytes: UInt32 = 0

    package init() {}

    package var count: Int { deliveries.count }

    package func hasRoom(for length: Int) -> Bool {
        deliveries.isEmpty
            || (deliveries.count < Self.countLimit && Int(bytes) + length <= Self.byteLimit)
    }

    /// Whether half of the room is free: then it is worth sending on.
    package var isHalfEmpty: Bool {
        deliveries.count <= Self.countLimit / 2 && bytes <= Self.byteLimit / 2
    }

    /// Answers false, and does nothing, if there is no room.
    package mutating func add(_ id: MessageID, length: Int) -> Bool {
        guard hasRoom(for: length) else { return false }
        let length = UInt32(clamping: length)
        deliveries.append(Delivery(id: id, length: length))
        bytes += length
        return true
    }

    /// Answers whether it was outstanding.
    package mutating func remove(_ id: MessageID) -> Bool {
        guard let index = deliveries.firstIndex(where: { $0.id == id }) else { return false }
        bytes -= deliveries[index].length
        deliveries.swapAt(index, deliveries.count - 1)
        deliveries.removeLast()
        if deliveries.isEmpty, deliveries.capacity > Self.keptCapacity { deliveries = [] }
        return true
    }

    /// In no order: whoever sends them again knows the right one.
    package mutating func removeAll() -> [MessageID] {
        let ids = deliveries.map(\.id)
        self = DeliveryWindow()
        return ids
    }

    private static let keptCapacity = 4
}
