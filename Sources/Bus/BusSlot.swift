import CSystemd

/// Owns a slot of sd-bus: a pending call, a match or an object.
struct BusSlot: ~Copyable {
    private let handle: OpaquePointer

    init(owning handle: OpaquePointer) { self.handle = handle }

    deinit { sd_bus_slot_unref(handle) }
}
