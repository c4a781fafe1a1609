import Base

/// Whose language a path speaks.
package enum TopicFace: CaseIterable, Sendable {
    case ntfy
    case gotify
}

/// The credential that a request brings. Only the store knows whether anybody has it; if nobody
/// has, the caller is `TopicCaller.impostor`.
package struct PresentedCredential: Equatable, Sendable, Confidential {
    package enum Secret: Equatable, Sendable, Confidential {
        case token(TopicToken)
        /// Of a device, if it is anything.
        case device(String)
    }

    package let secret: Secret
    /// It is part of the URL, so whoever wrote the URL has it.
    package let isInURL: Bool

    /// All our secrets are much shorter.
    private static let longest = 128

    fileprivate init(_ text: some StringProtocol, isInURL: Bool) throws(AccessRefusal) {
        guard (1...Self.longest).contains(text.utf8.count) else { throw .wrongCredential }
        secret = TopicToken(text).map { .token($0) } ?? .device(String(text))
        self.isInURL = isInURL
    }
}

extension CallerFields {
    /// The credential that counts; nil for an anonymous caller.
    ///
    /// `isOriginForeign`: the field Origin names another site. Browsers add what they know for
    /// Basic to requests of any page, so it does not count there. They also load links and pictures
    /// with GET, so with `changesByGET` a load is refused unless its URL has the credential.
    package func credential(
        at face: TopicFace, isOriginForeign: Bool, changesByGET: Bool = false
    ) throws(AccessRefusal) -> PresentedCredential? {
        let found = try presented(at: face, mayBeBasic: !isOriginForeign && !isOfOtherSite)
        guard !changesByGET || !isLoad || found?.isInURL == true else { throw .forbidden }
        return found
    }

    /// The first one that is there counts, right or wrong.
    private func presented(
        at face: TopicFace, mayBeBasic: Bool
    ) throws(AccessRefusal) -> PresentedCredential? {
        if face == .gotify, !token.isEmpty {
            return try PresentedCredential(token, isInURL: true)
        }
        if !encodedField.isEmpty {
            let encoded = Array(encodedField.utf8)
            guard let field = Base64URL.decodeToleratingAlphabet(encoded.span) else {
                throw .badEncoding
            }
            return try Self.read(
                String(decoding: field, as: UTF8.self), isInURL: true, mayBeBasic: true)
        }
        if face == .gotify, !gotifyKey.isEmpty {
            return try PresentedCredential(gotifyKey, isInURL: false)
        }
        return try Self.read(authorization, isInURL: false, mayBeBasic: mayBeBasic)
    }

    /// Other schemes are for others: application servers sign their pushes in this field.
    private static func read(
        _ field: String, isInURL: Bool, mayBeBasic: Bool
    ) throws(AccessRefusal) -> PresentedCredential? {
        let words = field.split(whereSeparator: \.isWhitespace)
        guard words.count > 1 else { return nil }
        switch words[0].lowercased() {
        case "bearer":
            guard words.count == 2 else { throw .wrongCredential }
            return try PresentedCredential(words[1], isInURL: isInURL)
        case "basic":
            guard mayBeBasic else { return nil }
            guard words.count == 2, let pair = Base64.decode(Array(words[1].utf8)),
                let colon = pair.firstIndex(of: UInt8(ascii: ":"))
            else { throw .wrongCredential }
            let password = String(decoding: pair[(colon + 1)...], as: UTF8.self)
            return try PresentedCredential(password, isInURL: isInURL)
        default: return nil
        }
    }
}
