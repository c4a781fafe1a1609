package import Base
import CLinux
import Glibc
import System

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
        do throws(ReactorError) {
            try WorkThread(name: "names") {
                let outcome = lookUp(name, port)
                loop.post { done(outcome) }
            }.letGo()
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
