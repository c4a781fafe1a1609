import Base
package import Reactor
package import TLS

/// Why a client could not open its WebSocket: what failed, so that a person can be told what to do.
package enum WebSocketClientFailure: Error, Equatable, Sendable {
    package enum Stage: String, Equatable, Sendable {
        case lookup
        case connect
        case handshake
        case upgrade
    }

    /// The name of the server is unknown, or the name server is silent.
    case unknownName(String, NameLookup.Failure)
    /// No address of the server took the connection; the reason of the last one.
    case unreachable(ReactorError)
    /// We do not believe that this is the server.
    case untrusted(TLSError)
    /// No common version or cipher, or no TLS at all.
    case brokenHandshake(TLSError)
    /// The server answers, but does not speak WebSocket with us now.
    case refused(status: Int, retryAfter: Duration?)
    /// The answer to the opening handshake is not what RFC 6455 asks for.
    case badAnswer(WebSocketRefusal)
    /// What the server answers is no HTTP.
    case unreadableAnswer
    case timedOut(Stage)
    /// The other side ended the connection.
    case lost(Stage)
    /// `cancel` was called, or the loop ends.
    case cancelled
}
