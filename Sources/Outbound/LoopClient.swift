import Base
import CCurl
import Glibc
package import System

/// A POST that `LoopClient` sends, or a GET, and the rules for the connection it goes over.
package struct LoopRequest: Sendable, Confidential {
    /// The socket to connect to, whatever host the URL names. `CheckedSocket` says what is checked.
    package struct SocketPlace: Sendable {
        let path: String
        let folder: String
        let owner: UInt32?
        let excluded: [String]

        package init(path: String, folder: String, owner: UInt32?, excluded: [String]) {
            self.path = path
            self.folder = folder
            self.owner = owner
            self.excluded = excluded
        }
    }

    package let url: String
    package let isEncrypted: Bool
    package let fields: [(name: String, value: String)]
    /// Nil for a GET.
    package let body: [UInt8]?
    /// A longer answer is cut off here and still counts.
    package var answerLimit = 65_536
    package var socket: SocketPlace?
    /// The proxy decides which address to connect to, so `objection` is not asked.
    package var proxy: String?
    /// False for a request whose connection no other request may use.
    package var sharesConnection = true
    /// Says why the request must not connect to an address, or nil. By default no address is
    /// allowed. It is asked before each new connection.
    package var objection: @Sendable (DialledAddress) -> String? = { _ in
        "no rule allows this address"
    }

    package init(
        url: String, isEncrypted: Bool, fields: [(name: String, value: String)], body: [UInt8]?
    ) {
        self.url = url
        self.isEncrypted = isEncrypted
        self.fields = fields
        self.body = body
    }
}

/// Why a request had no answer.
package enum RequestFailure: Error, Sendable, CustomStringConvertible {
    case timedOut
    /// The request's `objection` refused the address.
    case refused(String)
    case socket(CheckedSocket.Failure)
    case failed(CurlError)
    /// The client was closed.
    case closed

    package var description: String {
        switch self {
        case .timedOut: "no answer in time"
        case .refused(let reason): reason
        case .socket(let failure): failure.description
        case .failed(let error): error.description
        case .closed: "the server is stopping"
        }
    }
}

/// Sends many requests at once on one event loop.
// Unchecked: it is used on the thread of its loop only, or while that does not run.
package final class LoopClient: @unchecked Sendable {
    package struct Settings: Sendable {
        package var userAgent: String
        /// A file of certificates to trust instead of the system's.
        package var authorities: String?
        package var patience = Duration.seconds(10)
        /// Addresses of names, in libcurl's notation, so that a test needs no DNS.
        package var fixedNames: [String] = []

        package init(userAgent: String) { self.userAgent = userAgent }
    }

    private let loop: EventLoop
    private let settings: Settings
    private let multi: MultiHandle
    private var transfers: [UnsafeMutableRawPointer: RunningRequest] = [:]
    private var watches: [curl_socket_t: WatchedSocket] = [:]
    private var sockets: [WatchID: curl_socket_t] = [:]
    private var timer: TimerID?

    package init(on loop: EventLoop, _ settings: Settings) throws(CurlError) {
        self.loop = loop
        self.settings = settings
        multi = try MultiHandle()
        try multi.configure(
            Unmanaged.passUnretained(self).toOpaque(), watch: watchSocket, timer: setTimeout)
    }

    deinit { close() }

    /// Calls `completion` once, and never before this returns.
    package func send(
        _ request: LoopRequest,
        completion: @escaping (Result<HTTPResponse, RequestFailure>) -> Void
    ) {
        do throws(RequestFailure) {
            let transfer = try RunningRequest(request, settings, completion)
            do throws(CurlError) {
                try multi.add(transfer.easy)
            } catch { throw .failed(error) }
            transfers[transfer.easy.handle] = transfer
        } catch {
            let report = Report(completion: completion, failure: error)
            loop.post { report.completion(.failure(report.failure)) }
        }
    }

    /// No request is under way.
    package var isIdle: Bool { transfers.isEmpty }

    /// Ends all requests under way as `closed`.
    package func close() {
        let rest = transfers.values
        transfers = [:]
        for transfer in rest {
            multi.remove(transfer.easy)
            transfer.completion(.failure(.closed))
        }
        if let timer { loop.cancel(timer) }
        for watched in watches.values { loop.unwatch(watched.watch) }
        watches = [:]
        sockets = [:]
    }

    private func finishEnded() {
        while let (easy, code) = multi.nextEnded() {
            guard let transfer = transfers.removeValue(forKey: easy) else { continue }
            let result = transfer.result(code)
            multi.remove(transfer.easy)
            transfer.completion(result)
        }
    }

    /// A duplicate of libcurl's socket. When libcurl tries two addresses it closes one socket before
    /// it ends the watch on it, and a watch must end before its descriptor is closed.
    private final class WatchedSocket {
        private let descriptor: Int32
        let watch: WatchID

        init(descriptor: Int32, watch: WatchID) {
            self.descriptor = descriptor
            self.watch = watch
        }

        deinit { Glibc.close(descriptor) }
    }

    // Unchecked: it is created and called on the thread of the loop.
    private struct Report: @unchecked Sendable {
        let completion: RunningRequest.Completion
        let failure: RequestFailure
    }
}

extension LoopClient: EventHandler, TimerHandler {
    package func ready(_ readiness: Readiness, of watch: WatchID) {
        guard let socket = sockets[watch] else { return }
        let events =
            (readiness.isReadable ? CURL_CSELECT_IN : 0)
            | (readiness.isWritable ? CURL_CSELECT_OUT : 0)
            | (readiness.contains(.error) ? CURL_CSELECT_ERR : 0)
        multi.advance(socket, events)
        finishEnded()
    }

    package func timerFired(_ cookie: UInt64) {
        timer = nil
        multi.advance(CURL_SOCKET_TIMEOUT, 0)
        finishEnded()
    }

    package func drain() { close() }

    fileprivate func watch(_ socket: curl_socket_t, _ what: Int32) {
        guard what != CURL_POLL_REMOVE else {
            guard let watched = watches.removeValue(forKey: socket) else { return }
            sockets[watched.watch] = nil
            return loop.unwatch(watched.watch)
        }
        let interest = Interest(
            readable: what & CURL_POLL_IN != 0, writable: what & CURL_POLL_OUT != 0)
        if let watched = watches[socket] { return loop.setInterest(interest, of: watched.watch) }
        // If the socket cannot be watched, its transfer times out.
        let descriptor = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { return }
        guard let watch = try? loop.watch(descriptor, for: interest, self) else {
            Glibc.close(descriptor)
            return
        }
        watches[socket] = WatchedSocket(descriptor: descriptor, watch: watch)
        sockets[watch] = socket
    }

    /// It must not call libcurl, which calls this function.
    fileprivate func setTimer(_ milliseconds: Int) {
        if let timer { loop.cancel(timer) }
        timer = nil
        guard milliseconds >= 0 else { return }
        timer = loop.schedule(after: Interval(.milliseconds(milliseconds)), self)
    }
}

private let watchSocket: curl_socket_callback = { _, socket, what, context, _ in
    guard let context else { return 0 }
    Unmanaged<LoopClient>.fromOpaque(context).takeUnretainedValue().watch(socket, what)
    return 0
}

private let setTimeout: curl_multi_timer_callback = { _, milliseconds, context in
    guard let context else { return 0 }
    Unmanaged<LoopClient>.fromOpaque(context).takeUnretainedValue().setTimer(milliseconds)
    return 0
}
