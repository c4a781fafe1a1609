import Base
package import System

/// A POST that `LoopClient` sends, and the rules for the connection it goes over.
package struct LoopRequest: Sendable, Confidential {
    /// The socket to connect to, whatever host the URL names. `HeldSocket` says what is checked.
    package struct SocketPlace: Sendable {
        let path: String
        let folder: String
        let owner: UInt32?
        let excluded: [String]

        package init(path: String, folder: String, owner: UInt32?, excluded: [String]) {
            self.path = path
            self.folder = folder
            self.owner = owner
            self.excluded = excluded
        }
    }

    package let url: String
    package let isEncrypted: Bool
    package let fields: [(name: String, value: String)]
    package let body: [UInt8]
    package var socket: SocketPlace?
    /// The proxy decides which address to connect to, so `objection` is not asked.
    package var proxy: String?
    /// False for a request whose connection no other request may use.
    package var sharesConnection = true
    /// Says why the request must not connect to an address, or nil. By default no address is
    /// allowed. It is asked before each new connection.
    package var objection: @Sendable (DialledAddress) -> String? = { _ in
        "no rule allows this address"
    }

    package init(
        url: String, isEncrypted: Bool, fields: [(name: String, value: String)], body: [UInt8]
    ) {
        self.url = url
        self.isEncrypted = isEncrypted
        self.fields = fields
        self.body = body
    }
}

/// Why a request had no answer.
package enum RequestFailure: Error, Sendable, CustomStringConvertible {
    case timedOut
    /// The request's `objection` refused the address.
    case refused(String)
    case socket(HeldSocket.Failure)
    case failed(CurlError)
    /// The client was closed.
    case closed

    package var description: String {
        switch self {
        case .timedOut: "no answer in time"
        case .refused(let reason): reason
        case .socket(let failure): failure.description
        case .failed(let error): error.description
        case .closed: "the server is stopping"
        }
    }
}
