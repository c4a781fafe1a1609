import Base
import Crypto
import SQLite

/// The one thread that reads: pages of what waits, and lists. It stops no writer.
// Unchecked: the queue is for all threads; the rest is touched by the reader's thread alone, once
// that has begun.
final class StoreReader: @unchecked Sendable {
    private struct Request {
        let request: LoadRequest
        let ticket: UInt64
        let sink: any StoreSink
    }

    private struct Queue {
        var waiting: [Request] = []
        var isClosed = false
    }

    private let queue = Monitor(Queue())
    private let path: String
    private let time: StoreTimekeeper
    private let limits: StoreLimits
    private var sealer: Sealer
    /// Opened when it is needed, and anew after a failure.
    private var database: ReaderDatabase?

    init(
        _ path: String, keys: StoreKeys, time: StoreTimekeeper, limits: StoreLimits
    ) throws(StoreFault) {
        self.path = path
        self.time = time
        self.limits = limits
        do throws(OpenSSLError) {
            sealer = try Sealer(current: keys.master, former: keys.former)
        } catch { throw .crypto(error) }
    }

    /// From any thread.
    func load(_ request: LoadRequest, ticket: UInt64, to sink: any StoreSink) {
        let (isTaken, isFirst) = queue.withLock { queue in
            guard !queue.isClosed, queue.waiting.count < limits.queuedOperations else {
                return (false, false)
            }
            queue.waiting.append(Request(request: request, ticket: ticket, sink: sink))
            return (true, queue.waiting.count == 1)
        }
        if isFirst { queue.signal() }
        if !isTaken { sink.loaded(.unavailable, ticket: ticket) }
    }

    /// What waits is still answered, then the thread ends. From any thread.
    func close() {
        queue.withLock { $0.isClosed = true }
        queue.signal()
    }

    /// What the thread does, until `close`.
    func run() {
        while let requests = wait() {
            for request in requests {
                request.sink.loaded(answer(to: request.request), ticket: request.ticket)
            }
        }
        database = nil
    }

    private func wait() -> [Request]? {
        let answer: [Request]?? = queue.wait(atMost: nil) { queue in
            if queue.waiting.isEmpty { return queue.isClosed ? .some(nil) : nil }
            defer { queue.waiting = [] }
            return queue.waiting
        }
        return answer ?? nil
    }

    private func answer(to request: LoadRequest) -> LoadAnswer {
        do throws(SQLiteError) {
            let database = try openedDatabase()
            switch request {
            case .messages(let page):
                return .page(
                    try database.page(page, at: time.now, within: limits, unsealing: &sealer))
            case .subscriptions(let device):
                return .subscriptions(
                    try SubscriptionRows.load(
                        ofDevice: device, from: database.connection, &sealer))
            case .credentials:
                return .credentials(try CredentialRows.load(from: database.connection))
            case .owners:
                return .owners(try CredentialRows.owners(from: database.connection))
            }
        } catch {
            database = nil
            return .unavailable
        }
    }

    private func openedDatabase() throws(SQLiteError) -> ReaderDatabase {
        if let database { return database }
        let opened = try ReaderDatabase(path)
        database = opened
        return opened
    }
}
