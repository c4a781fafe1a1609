import Configuration
import HTTP
import Reactor

/// A listener in use, with its address as the configuration writes it.
struct ServedFace {
    let configured: ListenAddress
    let served: ServedListener

    init(_ configured: ListenAddress, _ served: ServedListener) {
        self.configured = configured
        self.served = served
    }

    var port: UInt16? {
        if case .ip(_, let port) = served.address { port } else { nil }
    }
}
