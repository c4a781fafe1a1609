package import Base

/// A bearer secret that opens topics of one owner, as far as its terms say.
package struct TopicToken: Hashable, Sendable, Confidential {
    /// Programs check the form before they send a token, so each has the one they expect.
    package enum Form: UInt8, CaseIterable, Sendable {
        /// `tk_` and 29 characters, as ntfy's.
        case access = 0
        /// `A` and 14 characters: of an application of Gotify, which publishes.
        case application = 1
        /// `C` and 14 characters: of a client of Gotify, which reads.
        case client = 2

        fileprivate var prefix: String {
            switch self {
            case .access: "tk_"
            case .application: "A"
            case .client: "C"
            }
        }

        fileprivate var length: Int { self == .access ? 29 : 14 }

        /// The characters of new tokens.
        fileprivate var letters: [UInt8] {
            Array("0123456789abcdefghijklmnopqrstuvwxyz".utf8)
                + (self == .access ? [] : Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8))
        }

        /// Those of tokens that a Gotify server has made may have three more.
        fileprivate func allows(_ byte: UInt8) -> Bool {
            letters.contains(byte) || self != .access && ".-_".utf8.contains(byte)
        }
    }

    package let form: Form
    package let text: String

    /// Nil for a text of no such form.
    package init?(_ text: some StringProtocol) {
        let form = Form.allCases.first { form in
            text.utf8.count == form.prefix.utf8.count + form.length && text.hasPrefix(form.prefix)
                && text.utf8.dropFirst(form.prefix.utf8.count).allSatisfy(form.allows)
        }
        guard let form else { return nil }
        (self.form, self.text) = (form, String(text))
    }

    /// A new token of 256 random bits, of which it keeps 83, or 150 in the form `access`.
    package init(_ form: Form, random: Bits128, _ more: Bits128) {
        let letters = form.letters
        var words = [random.high, random.low, more.high, more.low]
        let text = (0..<form.length).map { index in
            // Eight letters of each word, whose range is so much larger that no letter is
            // noticeably more likely.
            let (rest, letter) = words[index / 8].quotientAndRemainder(
                dividingBy: UInt64(letters.count))
            words[index / 8] = rest
            return letters[Int(letter)]
        }
        self.form = form
        self.text = form.prefix + String(decoding: text, as: UTF8.self)
    }
}
