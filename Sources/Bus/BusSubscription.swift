import CSystemd

/// A match or an exported object, until it is let go.
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

    func take(_ slot: consuming BusSlot) { self.slot = consume slot }

    /// Nothing is called any more. A match is taken back at the bus.
    package func end() {
        slot = nil
        connection?.follow()
    }
}
