import Base
package import HTTP
package import Reactor

/// Where a receiver takes the WebSocket of this desktop. The path holds the credential of the device.
package struct ReceiverAddress: Sendable, Confidential {
    package let text: String
    package let url: WebSocketURL
    /// The socket of a receiver in this process, or of this machine.
    package var place: SocketAddress?
    /// Whose notifications are shown.
    package var accounts: [EngineAccount] = []

    package struct Refusal: Error, Equatable, CustomStringConvertible {
        package let line: Int
        package let description: String
        package let hint: String
    }

    /// Without encryption only to this machine.
    package init?(_ text: String) {
        guard let url = WebSocketURL(text) else { return nil }
        let isHere = url.host == "localhost" || IPAddress(url.host)?.isLoopback == true
        guard url.isEncrypted || isHere else { return nil }
        self.text = text
        self.url = url
    }

    /// Reads a file with one address a line, followed by its accounts; `#` begins a comment.
    package static func list(_ file: [UInt8]) throws(Refusal) -> [ReceiverAddress] {
        var addresses: [ReceiverAddress] = []
        let lines = file.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let words = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace)
            guard let word = words.first, !word.hasPrefix("#") else { continue }
            // The line is not shown: it may be a credential with a slip of the pen in it.
            guard var address = ReceiverAddress(String(word)) else {
                throw Refusal(
                    line: index + 1, description: "this is no address of a receiver",
                    hint: "write what bellwire device add prints: wss://HOST/u/SECRET")
            }
            for word in words.dropFirst() {
                guard let account = EngineAccount(word) else {
                    throw Refusal(
                        line: index + 1, description: "an account is not written rightly",
                        hint: "write APP/ACCOUNT or APP/ACCOUNT=DESKTOP-ENTRY behind the address")
                }
                address.accounts.append(account)
            }
            if !addresses.contains(where: { $0.text == address.text }) { addresses.append(address) }
        }
        return addresses
    }
}
