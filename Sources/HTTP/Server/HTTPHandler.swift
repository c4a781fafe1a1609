package import Reactor

/// What a server does with its requests. All calls come on the loop of the connection.
package protocol HTTPHandler: AnyObject {
    /// How much the body of this request may hold; asked before any of it is read.
    func bodyLimit(for head: borrowing RequestHead) -> Int

    /// A whole request. It is answered once, now or later, on the same loop.
    func handle(_ exchange: HTTPExchange)

    /// The one place where a refusal becomes an answer.
    func answer(to refusal: HTTPRefusal) -> (ResponseHead, body: [UInt8])

    /// To a request whose body is longer than it may be.
    func answer(toOversized head: borrowing RequestHead) -> (ResponseHead, body: [UInt8])

    /// Who takes a connection whose first byte begins a JSON object; nil where only HTTP is spoken.
    func lineHandler(for peer: PeerCredentials?) -> (any LineHandler)?
}

extension HTTPHandler {
    package func answer(
        toOversized head: borrowing RequestHead
    ) -> (ResponseHead, body: [UInt8]) {
        answer(to: .bodyTooLarge)
    }

    package func lineHandler(for peer: PeerCredentials?) -> (any LineHandler)? { nil }
}
