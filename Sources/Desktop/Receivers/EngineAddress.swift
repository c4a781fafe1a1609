import Base
package import HTTP
import Reactor

/// The address of the engine of one account, with the credential of this device.
package struct EngineAddress: Equatable, Sendable, Confidential {
    package let url: WebSocketURL
    let credential: String
    /// The socket of a receiver on this machine.
    var place: SocketAddress?

    /// `device` is the receiver's address as a device has it: `wss://HOST/u/SECRET`, perhaps with a
    /// path before `/u/`.
    package init?(device: String, app: String, account: String) {
        guard let mark = device.place(of: "/u/") else { return nil }
        credential = String(device[mark.upperBound...])
        let base = device[..<mark.lowerBound]
        let isToken = credential.utf8.allSatisfy { Self.isUnreserved($0) }
        let query = "app=\(Self.encoded(app))&account=\(Self.encoded(account))&role=viewer"
        guard isToken, !credential.isEmpty,
            let url = WebSocketURL("\(base)/api/v1/engine?\(query)")
        else { return nil }
        self.url = url
    }

    /// RFC 3986 section 2.3.
    private static func isUnreserved(_ byte: UInt8) -> Bool {
        byte.isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte.lowercased)
            || "-._~".utf8.contains(byte)
    }

    private static func encoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
