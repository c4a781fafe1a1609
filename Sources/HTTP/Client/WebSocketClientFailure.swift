package import Reactor
package import TLS

/// Why a client could not open its WebSocket, so that a person can be told what to do.
package enum WebSocketClientFailure: Error, Equatable, Sendable {
    package enum Stage: String, Equatable, Sendable {
        case lookup
        case connect
        case handshake
        case upgrade
    }

    /// The name does not exist, or the name server does not answer.
    case unknownName(String, NameLookup.Failure)
    /// No address accepted the connection; the error of the last one.
    case unreachable(ReactorError)
    /// The server's certificate was not accepted.
    case untrusted(TLSError)
    /// No common version or cipher, or no TLS at all.
    case brokenHandshake(TLSError)
    /// The server answered with a status other than 101.
    case refused(status: Int, retryAfter: Duration?)
    /// The answer to the opening handshake breaks RFC 6455.
    case badAnswer(WebSocketRefusal)
    /// The answer is not HTTP.
    case unreadableAnswer
    case timedOut(Stage)
    /// The other side ended the connection.
    case lost(Stage)
    /// `cancel` was called, or the loop ends.
    case cancelled
}
