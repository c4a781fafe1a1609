import CSystemd
import Glibc

/// Owns one connection of sd-bus.
struct BusHandle: ~Copyable {
    let handle: OpaquePointer

    /// Begins to connect. Messages that are sent before the connection is open wait.
    init(to address: BusAddress) throws(BusError) {
        var handle: OpaquePointer?
        switch address {
        case .session:
            let code = sd_bus_open_user(&handle)
            self.handle = try ensure(code, handle, "sd_bus_open_user")
        case .system:
            let code = sd_bus_open_system(&handle)
            self.handle = try ensure(code, handle, "sd_bus_open_system")
        case .address(let text):
            let made = try ensure(sd_bus_new(&handle), handle, "sd_bus_new")
            do throws(BusError) {
                try ensure(sd_bus_set_address(made, text), "sd_bus_set_address")
                try ensure(sd_bus_set_bus_client(made, 1), "sd_bus_set_bus_client")
                try ensure(sd_bus_start(made), "sd_bus_start")
            } catch {
                sd_bus_unref(made)
                throw error
            }
            self.handle = made
        }
    }

    // Closes without flushing, which would wait for a bus that does not read.
    deinit { sd_bus_close_unref(handle) }

    var descriptor: Int32 {
        get throws(BusError) { try ensure(sd_bus_get_fd(handle), "sd_bus_get_fd") }
    }

    var interest: (readable: Bool, writable: Bool) {
        get throws(BusError) {
            let events = try ensure(sd_bus_get_events(handle), "sd_bus_get_events")
            return (events & csystemd_readable != 0, events & csystemd_writable != 0)
        }
    }

    /// When to call `process` even if nothing arrives, in microseconds of the monotonic clock.
    var wakeUp: UInt64? {
        get throws(BusError) {
            var time: UInt64 = 0
            let code = try ensure(sd_bus_get_timeout(handle, &time), "sd_bus_get_timeout")
            return code > 0 && time != csystemd_no_timeout ? time : nil
        }
    }

    /// Does one step; false if there was nothing to do.
    func process() throws(BusError) -> Bool {
        try ensure(sd_bus_process(handle, nil), "sd_bus_process") > 0
    }

    func send(_ message: borrowing BusMessage) throws(BusError) {
        try ensure(sd_bus_send(handle, message.handle, nil), "sd_bus_send")
    }
}

/// Owns a slot of sd-bus: a pending call, a match or an object.
struct BusSlot: ~Copyable {
    private let handle: OpaquePointer

    init(owning handle: OpaquePointer) { self.handle = handle }

    deinit { sd_bus_slot_unref(handle) }
}
