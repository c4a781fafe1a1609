import Base
package import HTTP
package import System

/// The address of a receiver, in every form that `bellwire device add` prints. The path holds the
/// credential of the device, if there is one.
package struct ReceiverAddress: Sendable, Confidential {
    package let text: String
    package let url: ClientURL
    /// The socket of a receiver in this process or on this machine.
    package var place: SocketAddress?
    /// The accounts whose notifications are shown.
    package var accounts: [EngineAccount] = []

    package struct Refusal: Error, Equatable, CustomStringConvertible {
        package let line: Int
        package let description: String
        package let hint: String
    }

    /// What to write instead of a text that is no such address.
    package static let hint =
        "use what bellwire device add prints: wss://HOST/u/SECRET, or the same with https"

    /// `https` means the same as `wss`. Only an address on this machine may do without TLS.
    package init?(_ text: String) {
        let isPage = text.prefix(4).lowercased() == "http"
        let address = isPage ? "ws" + text.dropFirst(4) : text
        guard let url = ClientURL(webSocket: address) else { return nil }
        let isHere = url.host == "localhost" || IPAddress(url.host)?.isLoopback == true
        guard url.isEncrypted || isHere else { return nil }
        // The name under which the desktop remembers it is the same in each form.
        self.text = isPage ? (url.isEncrypted ? "wss" : "ws") + text.drop { $0 != ":" } : text
        self.url = url
    }

    /// Where a Bellwire server with this address is reached. Its endpoints begin with this.
    package var baseURL: String {
        let scheme = url.isEncrypted ? "https" : "http"
        let rest = text.drop { $0 != ":" }
        let end = rest.place(of: "/u/")?.lowerBound ?? rest.endIndex
        let base = rest[..<end]
        return scheme + (base.hasSuffix("/") ? base.dropLast() : base)
    }

    /// Parses a file with one address per line, followed by its accounts; `#` starts a comment.
    package static func list(_ file: [UInt8]) throws(Refusal) -> [ReceiverAddress] {
        var addresses: [ReceiverAddress] = []
        let lines = file.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let words = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace)
            guard let word = words.first, !word.hasPrefix("#") else { continue }
            // The line is not shown: it may be a mistyped credential.
            guard var address = ReceiverAddress(String(word)) else {
                throw Refusal(
                    line: index + 1, description: "this is not the address of a receiver",
                    hint: Self.hint)
            }
            for word in words.dropFirst() {
                guard let account = EngineAccount(word) else {
                    throw Refusal(
                        line: index + 1, description: "an account is not written correctly",
                        hint: "append APP/ACCOUNT or APP/ACCOUNT=DESKTOP-ENTRY to the address")
                }
                address.accounts.append(account)
            }
            if !addresses.contains(where: { $0.text == address.text }) { addresses.append(address) }
        }
        return addresses
    }
}

/// What is known of a receiver, for the user.
package struct ReceiverState: Equatable, Sendable {
    package enum Condition: String, Sendable {
        case connecting
        case connected
        /// It answered, and no application needs it now.
        case idle
        /// It answered that it does not let this device in, or not now.
        case refused
        case untrusted
        case unreachable
    }

    /// Host and port, without the path, which is secret.
    package let name: String
    package private(set) var condition = Condition.connecting
    /// Why it is refused, untrusted or unreachable; else empty.
    package private(set) var reason = ""
    /// Since when the condition holds, in seconds since 1970.
    package internal(set) var since: Int64

    package init(of name: String, at time: Int64) {
        self.name = name
        since = time
    }

    /// True if something is new. A receiver that fails for another reason has not worked since the
    /// first one.
    package mutating func change(to other: Condition, reason: String = "", at time: Int64) -> Bool {
        guard other != condition || reason != self.reason else { return false }
        if !(condition.isFailure && other.isFailure) { since = time }
        condition = other
        self.reason = reason
        return true
    }
}

extension ReceiverState.Condition {
    package var isFailure: Bool {
        switch self {
        case .refused, .untrusted, .unreachable: true
        case .connecting, .connected, .idle: false
        }
    }
}

/// How long registrations are kept while no receiver is listed. Somebody may have emptied the file
/// by mistake, or it may lie on a disk that is not there yet.
///
/// It is a value: what is listed and the time of the store's clock go in. `since` is stored, so that
/// a restart does not begin the time anew.
struct ReceiverGrace: Equatable, Sendable {
    static let length = Duration.seconds(86_400)

    /// When the last receiver went; nil while there is one.
    private(set) var since: Duration?

    /// Call it with each list of receivers. True if `since` has changed.
    mutating func listed(_ count: Int, at now: Duration) -> Bool {
        let former = since
        since = count > 0 ? nil : former ?? now
        return since != former
    }

    /// When the registrations end; nil while there is a receiver.
    var end: Duration? { since.map { $0 + Self.length } }

    /// Whether there is no receiver, and the registrations are kept all the same.
    func isRunning(at now: Duration) -> Bool { end.map { now < $0 } ?? false }
}
