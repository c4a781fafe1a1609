import CSystemd
package import Reactor

/// One connection to a message bus, driven by an event loop.
///
/// It ends once: then every waiting call fails, and whoever made it makes another one.
// Unchecked: it is touched on the thread of its loop alone, or where that does not run.
package final class BusConnection: @unchecked Sendable {
    let handle: BusHandle
    let loop: EventLoop
    var calls = PendingCalls()
    /// sd-bus closes its own when the bus goes, and a watch has to end before that.
    private var descriptor: BusDescriptor?
    private var watch: Watch?
    private var timer: (id: TimerID, time: UInt64)?
    private var isProcessing = false
    private var ended: ((BusError) -> Void)?

    /// Messages that are handled before other descriptors have their turn.
    private static let stepsPerTurn = 64

    /// `ended` is called once, unless `close` comes first. Nothing has to wait until the bus has
    /// answered: what is sent earlier is sent then.
    package init(
        to address: BusAddress, on loop: EventLoop, ended: @escaping (BusError) -> Void
    ) throws(BusError) {
        handle = try BusHandle(to: address)
        self.loop = loop
        self.ended = ended
        let descriptor = try BusDescriptor(duplicating: handle.descriptor)
        self.descriptor = descriptor
        do throws(ReactorError) {
            watch = try loop.watch(descriptor.number, for: .readable, self)
        } catch { throw BusError("epoll_ctl", code: error.code) }
        follow()
    }

    package var isOpen: Bool { watch != nil }

    /// Lets go of the connection. Calls that wait fail; `ended` is not called.
    package func close() {
        ended = nil
        end(nil)
    }

    private func end(_ error: BusError?) {
        guard let watch else { return }
        self.watch = nil
        // This may be the last to hold the connection.
        withExtendedLifetime(self) {
            loop.unwatch(watch)
            if let timer { loop.cancel(timer.id) }
            timer = nil
            sd_bus_close(handle.handle)
            // The bus sees the end only when the last descriptor is closed.
            descriptor = nil
            for completion in calls.takeAll() { completion(.failure(.disconnected)) }
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

    /// Waits for what sd-bus wants to wait for now: after everything that was sent.
    func follow() {
        guard !isProcessing, let watch else { return }
        do throws(BusError) {
            let (readable, writable) = try handle.interest
            loop.setInterest(Interest(readable: readable, writable: writable), of: watch)
            wake(at: try handle.wakeUp)
        } catch {
            // Not at once: whoever sends does not expect the end in the middle of it.
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
    package func ready(_ readiness: Readiness, of watch: Watch) { advance() }

    package func timerFired(_ cookie: UInt64) {
        timer = nil
        advance()
    }

    package func drain() { close() }
}
