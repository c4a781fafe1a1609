import Base

/// Credentials by the digests of their secrets, and by their rows.
struct CredentialTable {
    private var credentials: [Digest: DeviceCredential] = [:]
    private var secrets: [UInt32: Digest] = [:]

    subscript(secret: Digest) -> DeviceCredential? { credentials[secret] }

    subscript(row row: UInt32) -> DeviceCredential? { secrets[row].flatMap { credentials[$0] } }

    mutating func set(_ credential: DeviceCredential) {
        credentials[credential.secret] = credential
        secrets[credential.row] = credential.secret
    }

    /// `body` changes neither secret nor row.
    mutating func change(_ secret: Digest, _ body: (inout DeviceCredential) -> Void) {
        guard let index = credentials.index(forKey: secret) else { return }
        body(&credentials.values[index])
    }

    /// Returns its row; nil if there is none.
    mutating func remove(_ secret: Digest) -> UInt32? {
        guard let row = credentials.removeValue(forKey: secret)?.row else { return nil }
        if secrets[row] == secret { secrets[row] = nil }
        return row
    }
}
