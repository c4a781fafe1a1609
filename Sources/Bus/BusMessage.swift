import CSystemd
import Glibc

/// Owns one message of sd-bus.
struct BusMessage: ~Copyable {
    let handle: OpaquePointer

    /// Takes ownership of a new message.
    init(owning handle: OpaquePointer) { self.handle = handle }

    /// Adds a reference to somebody else's message.
    init(sharing handle: OpaquePointer) { self.handle = sd_bus_message_ref(handle) }

    deinit { sd_bus_message_unref(handle) }

    var sender: String { text(sd_bus_message_get_sender(handle)) }
    var path: String { text(sd_bus_message_get_path(handle)) }
    var interface: String { text(sd_bus_message_get_interface(handle)) }
    var member: String { text(sd_bus_message_get_member(handle)) }
    var signature: String { text(sd_bus_message_get_signature(handle, 1)) }
    var expectsReply: Bool { sd_bus_message_get_expect_reply(handle) > 0 }

    /// The error that it carries, if it is one.
    var failure: BusFailure? {
        guard sd_bus_message_is_method_error(handle, nil) > 0 else { return nil }
        guard let error = sd_bus_message_get_error(handle) else {
            return BusFailure(name: BusErrorName.failed)
        }
        return BusFailure(name: text(error.pointee.name), text: text(error.pointee.message))
    }

    func append(_ values: [BusValue]) throws(BusError) {
        for value in values { try MessageWriter(handle: handle).append(value) }
    }

    func arguments() throws(BusError) -> [BusValue] {
        var reader = MessageReader(handle: handle)
        return try reader.values()
    }

    private func text(_ pointer: UnsafePointer<CChar>?) -> String {
        // sd-bus accepts only valid UTF-8, whoever the sender is.
        pointer.map { String(cString: $0) } ?? ""
    }
}
