package import Base
import CLinux
import CShims
import Glibc

/// A thread for one piece of work. Call `join` or `detach` exactly once.
package struct WorkThread: Sendable {
    private let thread: pthread_t

    private final class Start: Sendable {
        let work: @Sendable () -> Void
        init(_ work: @escaping @Sendable () -> Void) { self.work = work }
    }

    /// The kernel keeps 15 bytes of the name.
    package init(
        name: String, _ work: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        let start = Start {
            cshims_name_thread(name)
            work()
        }
        var thread = pthread_t()
        let argument = Unmanaged.passRetained(start)
        let code = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().work()
                return nil
            }, argument.toOpaque())
        guard code == 0 else {
            argument.release()
            throw SystemError("pthread_create", code: code)
        }
        self.thread = thread
    }

    package func join() { pthread_join(thread, nil) }

    /// False if the thread is still running at the deadline; it is then detached.
    func join(until deadline: Instant) -> Bool {
        let time = timespec(
            tv_sec: Int(deadline.nanoseconds / 1_000_000_000),
            tv_nsec: Int(deadline.nanoseconds % 1_000_000_000))
        if cshims_join_until(thread, time) == 0 { return true }
        detach()
        return false
    }

    /// Detaches the thread, whose work may block for any time.
    package func detach() { pthread_detach(thread) }
}

/// Runs work that may block for ever, such as opening files of other programs. Each piece of work
/// has its own thread, and waiting for it is limited. Only one loop uses it.
// Unchecked: it is used only on the thread of the loop.
package final class Errands: @unchecked Sendable {
    private let loop: EventLoop
    private let limit: Interval
    /// The most threads at a time: a thread that hangs may never end.
    private let most: Int
    private var running = 0

    package init(on loop: EventLoop, limit: Duration, atMost most: Int) {
        self.loop = loop
        self.limit = Interval(limit)
        self.most = most
    }

    /// Calls `done` with nil if there was no answer in time or no thread for it. Calls `back` when
    /// the work has ended, however late.
    package func run<Answer: Sendable>(
        _ work: @escaping @Sendable () -> Answer, done: @escaping (Answer?) -> Void,
        back: @escaping () -> Void = {}
    ) {
        let errand = Errand(done, back)
        guard running < most else { return errand.refuse() }
        do throws(SystemError) {
            try WorkThread(name: "errand") { [self, loop] in
                let answer = work()
                loop.post { self.ended(errand, answer) }
            }.detach()
        } catch {
            return errand.refuse()
        }
        running += 1
        errand.timer = loop.schedule(after: limit, errand)
    }

    private func ended<Answer>(_ errand: Errand<Answer>, _ answer: Answer) {
        running -= 1
        if let timer = errand.timer { loop.cancel(timer) }
        errand.back()
        errand.complete(answer)
    }

    // Unchecked: it is used only on the thread of the loop.
    private final class Errand<Answer: Sendable>: TimerHandler, @unchecked Sendable {
        var timer: TimerID?
        let back: () -> Void
        private var done: ((Answer?) -> Void)?

        init(_ done: @escaping (Answer?) -> Void, _ back: @escaping () -> Void) {
            self.done = done
            self.back = back
        }

        /// Only the first call has an effect.
        func complete(_ answer: Answer?) {
            guard let done else { return }
            self.done = nil
            done(answer)
        }

        func refuse() {
            complete(nil)
            back()
        }

        func timerFired(_ cookie: UInt64) {
            timer = nil
            complete(nil)
        }
    }
}

/// Resolves a host name on its own thread, because the C library may block for long.
package enum NameLookup {
    package struct Failure: Error, Equatable, Sendable, CustomStringConvertible {
        package let description: String
    }

    package typealias Outcome = Result<[SocketAddress], Failure>

    /// Calls `done` on the thread of `loop`, unless that has ended. It cannot be cancelled; the
    /// caller ignores a late outcome.
    package static func start(
        _ name: String, port: UInt16, on loop: EventLoop,
        _ done: @escaping @Sendable (Outcome) -> Void
    ) {
        do throws(SystemError) {
            try WorkThread(name: "names") {
                let outcome = lookUp(name, port)
                loop.post { done(outcome) }
            }.detach()
        } catch {
            let failure = Failure(description: error.description)
            loop.post { done(.failure(failure)) }
        }
    }

    /// Waits for the addresses, up to a limit. Nil if there is no answer in time; empty if the name
    /// does not exist.
    package static func addresses(of name: String, within limit: Duration) -> [IPAddress]? {
        guard let loop = try? EventLoop() else { return nil }
        let found = Lock<Outcome?>(nil)
        let patience = Patience(loop)
        _ = loop.schedule(after: Interval(limit), patience)
        start(name, port: 0, on: loop) { outcome in
            found.withLock { $0 = outcome }
            loop.stop()
        }
        _ = loop.run()
        guard let outcome = found.withLock({ $0 }) else { return nil }
        return ((try? outcome.get()) ?? []).compactMap { address in
            if case .ip(let address, _) = address { address } else { nil }
        }
    }

    private final class Patience: TimerHandler {
        private let loop: EventLoop
        init(_ loop: EventLoop) { self.loop = loop }
        func timerFired(_ cookie: UInt64) { loop.stop() }
    }

    /// Returns the addresses in the order in which to try them (RFC 6724).
    private static func lookUp(_ name: String, _ port: UInt16) -> Outcome {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(name, nil, &hints, &list)
        guard code == 0 else {
            return .failure(Failure(description: String(cString: gai_strerror(code))))
        }
        defer { freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var entry = list
        while let found = entry {
            entry = found.pointee.ai_next
            guard let name = found.pointee.ai_addr, let address = SocketAddress(name) else {
                continue
            }
            addresses.append(address.with(port: port))
        }
        return .success(addresses)
    }
}
