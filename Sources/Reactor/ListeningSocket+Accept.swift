import CShims
import Glibc

extension ListeningSocket {
    enum Accepted: ~Copyable {
        case connection(Socket, SocketAddress)
        /// No connection is waiting.
        case none
        /// This connection broke before it was accepted; there may be others.
        case broken
        /// The machine has no room: trying again at once would fail again.
        case exhausted(ReactorError)
    }

    borrowing func accept() -> Accepted {
        var storage = SocketAddress.Storage()
        let listener = descriptor
        let descriptor = storage.receive { cshims_accept(listener, $0, $1) }
        guard descriptor == -1 else {
            return .connection(Socket(owning: descriptor), storage.address ?? .unix(path: ""))
        }
        switch errno {
        case EAGAIN: return .none
        // Network errors of this one connection (accept(2)).
        case EINTR, ECONNABORTED, EPROTO, EPERM, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, ENONET,
            EHOSTUNREACH, EOPNOTSUPP, ENETUNREACH:
            return .broken
        // EMFILE, ENFILE, ENOBUFS, ENOMEM, or something unexpected; none may make the loop spin.
        case let code: return .exhausted(ReactorError("accept4", code: code))
        }
    }
}
