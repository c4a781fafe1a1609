import Base
import CCurl
import Glibc
package import Reactor

/// Sends requests that others ask us for: many at once, on one event loop, to where they may go.
// Unchecked: it is touched on the thread of its loop alone, or where that does not run.
package final class CallbackClient: @unchecked Sendable {
    private let loop: EventLoop
    private let settings: CallbackSettings
    private let multi: MultiHandle
    private var transfers: [UnsafeMutableRawPointer: Transfer] = [:]
    private var watches: [curl_socket_t: WatchedSocket] = [:]
    private var sockets: [Watch: curl_socket_t] = [:]
    private var timer: TimerID?

    package init(on loop: EventLoop, _ settings: CallbackSettings) throws(CurlError) {
        self.loop = loop
        self.settings = settings
        multi = try MultiHandle()
        try multi.configure(
            Unmanaged.passUnretained(self).toOpaque(), watch: watchSocket, timer: setTimeout)
    }

    deinit { close() }

    /// `completion` is called later, and once.
    package func send(
        _ request: CallbackRequest,
        completion: @escaping (Result<HTTPResponse, CallbackFailure>) -> Void
    ) {
        do throws(CallbackFailure) {
            let transfer = try Transfer(request, settings, completion)
            do throws(CurlError) {
                try multi.add(transfer.easy)
            } catch { throw .failed(error) }
            transfers[transfer.easy.handle] = transfer
        } catch {
            let report = Report(completion: completion, failure: error)
            loop.post { report.completion(.failure(report.failure)) }
        }
    }

    /// Lets go of everything that is under way.
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

    /// A socket of libcurl under a descriptor of ours: of two attempts to connect it closes one
    /// before it says that it is no longer of interest, and a watch has to end before that.
    private final class WatchedSocket {
        private let descriptor: Int32
        let watch: Watch

        init(descriptor: Int32, watch: Watch) {
            self.descriptor = descriptor
            self.watch = watch
        }

        deinit { Glibc.close(descriptor) }
    }

    /// What is called a turn later.
    // Unchecked: made and called on the thread of the loop.
    private struct Report: @unchecked Sendable {
        let completion: Transfer.Completion
        let failure: CallbackFailure
    }
}

extension CallbackClient: EventHandler, TimerHandler {
    package func ready(_ readiness: Readiness, of watch: Watch) {
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

    /// What is under way can be done again after the next start.
    package func drain() { close() }

    fileprivate func watch(_ socket: curl_socket_t, _ what: Int32) {
        guard what != CURL_POLL_REMOVE else {
            guard let watched = watches.removeValue(forKey: socket) else { return }
            sockets[watched.watch] = nil
            return loop.unwatch(watched.watch)
        }
        let interest = Interest(
            readable: what & CURL_POLL_IN != 0, writable: what & CURL_POLL_OUT != 0)
        if let watched = watches[socket] {
            return loop.setInterest(interest, of: watched.watch)
        }
        // A socket that cannot be watched ends with the time of its transfer.
        let descriptor = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { return }
        guard let watch = try? loop.watch(descriptor, for: interest, self) else {
            Glibc.close(descriptor)
            return
        }
        watches[socket] = WatchedSocket(descriptor: descriptor, watch: watch)
        sockets[watch] = socket
    }

    /// Never calls libcurl: this is called from within it.
    fileprivate func setTimer(_ milliseconds: Int) {
        if let timer { loop.cancel(timer) }
        timer = nil
        guard milliseconds >= 0 else { return }
        timer = loop.schedule(after: Interval(.milliseconds(milliseconds)), self)
    }
}

private let watchSocket: curl_socket_callback = { _, socket, what, context, _ in
    guard let context else { return 0 }
    Unmanaged<CallbackClient>.fromOpaque(context).takeUnretainedValue().watch(socket, what)
    return 0
}

private let setTimeout: curl_multi_timer_callback = { _, milliseconds, context in
    guard let context else { return 0 }
    Unmanaged<CallbackClient>.fromOpaque(context).takeUnretainedValue().setTimer(milliseconds)
    return 0
}
