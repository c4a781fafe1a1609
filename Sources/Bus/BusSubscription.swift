import CSystemd

/// A match or an exported object. It ends when it is released.
///
/// sd-bus calls back with a pointer to it, so it owns the slot, which must not outlive it.
package final class BusSubscription {
    enum Purpose {
        case signals((BusSignal) -> Void)
        case object(any BusObject)
    }

    let purpose: Purpose
    private(set) weak var connection: BusConnection?
    private var slot: BusSlot?

    init(_ purpose: Purpose, of connection: BusConnection) {
        self.purpose = purpose
        self.connection = connection
    }

    var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    static func of(_ pointer: UnsafeMutableRawPointer?) -> BusSubscription? {
        pointer.map { Unmanaged<BusSubscription>.fromOpaque($0).takeUnretainedValue() }
    }

    func hold(_ slot: consuming BusSlot) { self.slot = consume slot }

    /// Ends all callbacks. A match is also removed at the bus.
    package func end() {
        slot = nil
        connection?.follow()
    }
}
