import Base
import Crypto

/// The names that an engine is found by: hashes under the endpoint key, as in the file.
struct EngineName {
    /// Nil for any application.
    let app: [UInt8]?
    let account: [UInt8]
    let user: [UInt8]?

    init(
        account: String, app: String?, user: Int64? = nil, key: borrowing Secret,
        _ hash: inout SHA256
    ) throws(OpenSSLError) {
        self.account = try Self.hash("account " + account, key, &hash)
        self.app = try app.map { app throws(OpenSSLError) in
            try Self.hash("app " + app, key, &hash)
        }
        self.user = try user.map { user throws(OpenSSLError) in
            try Self.user(user, key: key, &hash)
        }
    }

    static func user(
        _ id: Int64, key: borrowing Secret, _ hash: inout SHA256
    ) throws(OpenSSLError) -> [UInt8] {
        try Self.hash("user \(id)", key, &hash)
    }

    private static func hash(
        _ text: String, _ key: borrowing Secret, _ hash: inout SHA256
    ) throws(OpenSSLError) -> [UInt8] {
        let bytes = Array(text.utf8)
        let digest = try key.withSpan { key throws(OpenSSLError) in
            try hash.hmac(key: key, bytes.span)
        }
        return digest.span.array(0..<16)
    }
}
