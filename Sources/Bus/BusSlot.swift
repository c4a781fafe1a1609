import CSystemd

/// Owns what sd-bus calls a slot: a call that is waited for, a match, an object.
struct BusSlot: ~Copyable {
    private let handle: OpaquePointer

    init(owning handle: OpaquePointer) { self.handle = handle }

    deinit { sd_bus_slot_unref(handle) }
}
