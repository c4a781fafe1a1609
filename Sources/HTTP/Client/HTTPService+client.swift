import Reactor

extension HTTPService {
    /// What the connection of a client needs of a server: room to read, and a turn to send in.
    convenience init(forClientOn loop: EventLoop) {
        self.init(
            on: loop, HTTPListenerTerms(), limits: Limits(), MemoryBudget(limit: 0), Unasked(),
            HTTPFigures(), report: { _ in }, access: nil)
    }

    /// No request ever comes.
    private final class Unasked: HTTPHandler {
        func bodyLimit(for head: borrowing RequestHead) -> Int { 0 }
        func handle(_ exchange: HTTPExchange) {}
        func answer(to refusal: HTTPRefusal) -> (ResponseHead, body: [UInt8]) {
            (ResponseHead(status: refusal.status), [])
        }
    }
}
