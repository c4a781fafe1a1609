import Reactor

extension HTTPService {
    /// The shared parts that the connection of a client needs: a read buffer and a send queue.
    convenience init(forClientOn loop: EventLoop) {
        self.init(
            on: loop, HTTPListenerTerms(), limits: Limits(), MemoryBudget(limit: 0), Unasked(),
            HTTPFigures(), report: { _ in }, access: nil)
    }

    /// Never called: a client gets no requests.
    private final class Unasked: HTTPHandler {
        func bodyLimit(for head: borrowing RequestHead) -> Int { 0 }
        func handle(_ exchange: HTTPExchange) {}
        func answer(to refusal: HTTPRefusal) -> (ResponseHead, body: [UInt8]) {
            (ResponseHead(status: refusal.status), [])
        }
    }
}
