import CSystemd
import Glibc
package import System

/// One connection to a message bus, driven by an event loop.
///
/// When it ends, every waiting call fails. It cannot be used again; create another one.
// Unchecked: it is used only on the thread of its loop, or while that does not run.
package final class BusConnection: @unchecked Sendable {
    let handle: BusHandle
    let loop: EventLoop
    var calls = PendingCalls()
    /// A duplicate: sd-bus closes its own when the bus goes away, and the watch must end before
    /// that.
    private var descriptor: BusDescriptor?
    private var watch: WatchID?
    private var timer: (id: TimerID, time: UInt64)?
    private var isProcessing = false
    private var ended: ((BusError) -> Void)?

    /// Messages handled before other descriptors get their turn.
    private static let stepsPerTurn = 64

    /// Calls `ended` once, unless `close` comes first. Messages can be sent at once; they wait
    /// until the bus has answered.
    package init(
        to address: BusAddress, on loop: EventLoop, ended: @escaping (BusError) -> Void
    ) throws(BusError) {
        handle = try BusHandle(to: address)
        self.loop = loop
        self.ended = ended
        let descriptor = try BusDescriptor(duplicating: handle.descriptor)
        self.descriptor = descriptor
        do throws(SystemError) {
            watch = try loop.watch(descriptor.number, for: .readable, self)
        } catch { throw BusError("epoll_ctl", code: error.code) }
        follow()
    }

    package var isOpen: Bool { watch != nil }

    /// Closes the connection. Waiting calls fail; `ended` is not called.
    package func close() {
        ended = nil
        end(nil)
    }

    private func end(_ error: BusError?) {
        guard let watch else { return }
        self.watch = nil
        // The last reference to the connection may go away in here.
        withExtendedLifetime(self) {
            loop.unwatch(watch)
            if let timer { loop.cancel(timer.id) }
            timer = nil
            sd_bus_close(handle.handle)
            // The bus notices the end only when the last descriptor is closed.
            descriptor = nil
            for completion in calls.removeAll() { completion(.failure(.disconnected)) }
            let ended = self.ended
            self.ended = nil
            if let error { ended?(error) }
        }
    }

    private func advance() {
        guard isOpen else { return }
        isProcessing = true
        var failure: BusError?
        do throws(BusError) {
            for _ in 0..<Self.stepsPerTurn {
                guard try handle.process(), isOpen else { break }
            }
        } catch { failure = error }
        isProcessing = false
        if let failure { end(failure) } else { follow() }
    }

    /// Waits for what sd-bus waits for now. Call it after everything that sends.
    func follow() {
        guard !isProcessing, let watch else { return }
        do throws(BusError) {
            let (readable, writable) = try handle.interest
            loop.setInterest(Interest(readable: readable, writable: writable), of: watch)
            wake(at: try handle.wakeUp)
        } catch {
            // Ends later, because a sender does not expect the end while it is sending.
            loop.post { self.end(error) }
        }
    }

    private func wake(at time: UInt64?) {
        guard time != timer?.time else { return }
        if let timer { loop.cancel(timer.id) }
        timer = nil
        guard let time else { return }
        let now = UInt64(clamping: loop.now.nanoseconds / 1_000)
        let pause = Duration.microseconds(Int64(clamping: time > now ? time - now : 0))
        timer = (loop.schedule(after: Interval(pause), self), time)
    }
}

extension BusConnection: EventHandler, TimerHandler {
    package func ready(_ readiness: Readiness, of watch: WatchID) { advance() }

    package func timerFired(_ cookie: UInt64) {
        timer = nil
        advance()
    }

    package func drain() { close() }
}

package enum BusAddress: Equatable, Sendable {
    /// The bus of the user's session, as the environment names it.
    case session
    case system
    case address(String)
}

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
