import Base
package import Reactor
package import TLS

package struct WebSocketClientOptions: Sendable, Confidential {
    /// The limit for each stage.
    package struct Patience: Sendable {
        package var lookup = Duration.seconds(15)
        /// The limit for connecting to each address.
        package var connect = Duration.seconds(10)
        package var handshake = Duration.seconds(15)
        package var upgrade = Duration.seconds(30)

        package init() {}
    }

    package let url: WebSocketURL
    /// More fields of the request, such as Authorization.
    package var fields: [(name: String, value: String)] = []
    /// Connects here instead of to the address of the host: the socket of a server on this machine.
    package var place: SocketAddress?
    package var patience = Patience()
    let terms: WebSocketTerms
    let context: TLSContext
    let random: WebSocketEncoder.MaskingKeys

    /// `context` is for clients and offers HTTP/1.1. `random` returns 32 unpredictable bits. The
    /// subprotocols of `terms` are offered, best first.
    package init(
        url: WebSocketURL, terms: WebSocketTerms, context: TLSContext,
        random: @escaping WebSocketEncoder.MaskingKeys
    ) {
        self.url = url
        self.terms = terms
        self.context = context
        self.random = random
    }
}
