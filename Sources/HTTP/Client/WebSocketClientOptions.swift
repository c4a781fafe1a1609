import Base
package import Crypto
package import System

package struct WebSocketClientOptions: Sendable, Confidential {
    var route: ClientRoute
    /// More fields of the request, such as Authorization.
    package var fields: [(name: String, value: String)] = []
    let terms: WebSocketTerms

    package var url: ClientURL { route.url }

    /// Connects here instead of to the address of the host: the socket of a server on this machine.
    package var place: SocketAddress? {
        get { route.place }
        set { route.place = newValue }
    }

    package var patience: ClientRoute.Patience {
        get { route.patience }
        set { route.patience = newValue }
    }

    /// `context` is for clients and offers HTTP/1.1. The subprotocols of `terms` are offered, best
    /// first.
    package init(url: ClientURL, terms: WebSocketTerms, context: TLSContext) {
        route = ClientRoute(to: url, context)
        self.terms = terms
    }
}
