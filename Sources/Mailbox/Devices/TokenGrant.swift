import Base
package import Topics

/// What a token for topics opens, beside the hash of its secret.
package struct TokenGrant: Equatable, Sendable, Confidential {
    package let terms: TokenTerms
    /// The credential with which it was made, if that was a token: with that one it ends.
    package let parent: UInt32?
    /// The topic that an application of Gotify is: with that one it ends.
    package let device: UInt32?

    package init(_ terms: TokenTerms, parent: UInt32? = nil, device: UInt32? = nil) {
        (self.terms, self.parent, self.device) = (terms, parent, device)
    }

    func with(_ terms: TokenTerms) -> TokenGrant {
        TokenGrant(terms, parent: parent, device: device)
    }
}

/// The terms in the row of the credential. A pattern may name topics, so they are sealed.
struct TokenRecord: Confidential {
    private var form: UInt8 = 0
    private var pattern = ""
    private var rights: UInt8 = 0
    private var end: Int64?

    private init() {}

    init(_ terms: TokenTerms) {
        (form, pattern) = (terms.form.rawValue, terms.pattern.text)
        (rights, end) = (terms.rights.rawValue, terms.end)
    }

    /// Nil for what is none.
    static func terms(_ bytes: [UInt8]) -> TokenTerms? {
        guard let record = decoded(bytes), let form = TopicToken.Form(rawValue: record.form),
            let pattern = TopicPattern(record.pattern)
        else { return nil }
        return TokenTerms(form, pattern, TopicRights(rawValue: record.rights), end: record.end)
    }
}

extension TokenRecord: Coded {
    static var blank: TokenRecord { TokenRecord() }

    mutating func code(_ coder: inout Coder) {
        coder.number(&form)
        coder.text(&pattern)
        coder.number(&rights)
        coder.optional(&end)
    }
}
