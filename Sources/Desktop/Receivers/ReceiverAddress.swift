import Base
package import HTTP
package import Reactor

/// The address of a receiver, in every form that `bellwire device add` prints. The path holds the
/// credential of the device, if there is one.
package struct ReceiverAddress: Sendable, Confidential {
    package let text: String
    package let url: WebSocketURL
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
        guard let url = WebSocketURL(isPage ? "ws" + text.dropFirst(4) : text) else { return nil }
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
