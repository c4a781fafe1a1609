import Base
import Crypto
import Mailbox
import Topics
import WebPush

/// What stands for names in what goes to others. They cannot be found out without the key.
struct ForwardMarker: ~Copyable {
    private static let serverLength = 12
    /// Push services take topics of 32 letters (RFC 8030 section 5.4), and Apple only some that are
    /// shorter.
    private static let topicLength = 24

    private var hash: SHA256

    init(key: Secret) throws(OpenSSLError) {
        var hash = try SHA256()
        try key.withSpan { key throws(OpenSSLError) in try hash.beginHMAC(key: key) }
        self.hash = hash
    }

    /// This server.
    var server: String {
        mutating get throws(OpenSSLError) { try mark(of: "forwards of", "", Self.serverLength) }
    }

    /// What was forwarded from there.
    mutating func digest(of origin: ForwardOrigin) throws(OpenSSLError) -> Digest {
        Digest(try digest(of: "forwarded from", "\(origin.server)/\(origin.id)"))
    }

    /// Two states of one thing at one topic have the same.
    mutating func topic(of forwarded: ForwardedMessage) throws(OpenSSLError) -> String {
        let name = "\(forwarded.topic)/\(forwarded.message.sequence)"
        return try mark(of: "topic of a push", name, Self.topicLength)
    }

    private mutating func mark(
        of label: StaticString, _ name: String, _ length: Int
    ) throws(OpenSSLError) -> String {
        let digest = try digest(of: label, name)
        return Base64URL.text(digest.span.extracting(0..<length))
    }

    private mutating func digest(
        of label: StaticString, _ name: String
    ) throws(OpenSSLError) -> SHA256.Digest {
        let name = Array(name.utf8)
        hash.beginHMACUnderSameKey()
        try hash.update(label)
        try hash.update(name.span)
        return try hash.finishHMAC()
    }
}
