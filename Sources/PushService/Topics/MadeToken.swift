import Base
package import Crypto
package import Mailbox
package import Topics

/// A new token, with what the store keeps of it. Its text is told once, to whoever asked for it.
package struct MadeToken: Confidential {
    package let token: TopicToken
    package let credential: DeviceCredential

    package init(
        _ grant: TokenGrant, named name: String, of owner: String, at service: ServiceState,
        _ random: inout RandomSupply
    ) throws(OpenSSLError) {
        token = try TopicToken(grant.terms.form, &random)
        credential = DeviceCredential(
            row: service.index.nextCredential(), secret: try token.digest, name: name,
            owner: owner, created: Int64(service.now() * 1_000), token: grant)
    }
}

extension TopicToken {
    init(_ form: Form, _ random: inout RandomSupply) throws(OpenSSLError) {
        let first = Bits128(high: try random.word(), low: try random.word())
        self.init(
            form, random: first, Bits128(high: try random.word(), low: try random.word()))
    }

    /// By this alone the store knows it.
    var digest: Digest {
        get throws(OpenSSLError) {
            var hash = try SHA256()
            return Digest(try hash.digest(of: Array(text.utf8).span))
        }
    }
}
