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
