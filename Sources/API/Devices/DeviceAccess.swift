import Base
import Configuration
import Crypto
import Mailbox

/// A new device with its secret, which is known only at this moment.
struct DeviceAccess: Confidential {
    let credential: DeviceCredential
    private let bearer: String

    /// Makes the secret.
    init(_ device: NewDevice, owner: String, row: UInt32, created: Int64) throws(OpenSSLError) {
        let secret = try Random.secret(count: DeviceCredential.secretLength)
        var hash = try SHA256()
        let digest = try secret.withSpan { secret throws(OpenSSLError) in
            Digest(try hash.digest(of: secret))
        }
        credential = DeviceCredential(
            row: row, secret: digest, name: device.name, owner: owner, created: created,
            isReceiveOnly: device.isReceiveOnly)
        bearer = secret.withSpan(Base64URL.text)
    }

    /// The device as JSON, with its two addresses: Firefox needs the WebSocket address, other
    /// clients the https address.
    func json(baseURL: BaseURL) -> [UInt8] {
        let page = "\(baseURL)/u/\(bearer)"
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("id", Int(credential.row))
            writer.member("name", credential.name)
            writer.member("owner", credential.owner)
            writer.member("bearer", bearer)
            // http and https become ws and wss.
            writer.member("websocket", "ws" + page.dropFirst(4))
            writer.member("url", page)
            if credential.isReceiveOnly { writer.member("receive_only", true) }
        }
        return writer.bytes
    }
}
