package import Reactor

/// Handles the requests of a server. All calls come on the loop of the connection.
package protocol HTTPHandler: AnyObject {
    /// The most bytes of body for this request; asked before any of it is read.
    func bodyLimit(for head: borrowing RequestHead) -> Int

    /// A complete request. Answer it once, now or later, on the same loop.
    func handle(_ exchange: HTTPExchange)

    /// The one place where a refusal becomes an answer.
    func answer(to refusal: HTTPRefusal) -> (ResponseHead, body: [UInt8])

    /// The answer to a request whose body is too long.
    func answer(toOversized head: borrowing RequestHead) -> (ResponseHead, body: [UInt8])

    /// The handler of a connection whose first byte begins a JSON object; nil if only HTTP is
    /// served.
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
