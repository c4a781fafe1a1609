/// The languages that the program speaks to people in.
package enum Language: String, CaseIterable, Sendable {
    case english = "en"
    case german = "de"

    /// The language of a locale such as `de_AT.UTF-8`; English if it is none of ours.
    package init(locale: String) {
        self = Self(code: locale.prefix { $0 != "_" && $0 != "." && $0 != "@" }) ?? .english
    }

    /// The first of our languages in a field Accept-Language (RFC 9110 section 12.5.4). Browsers list
    /// the languages by preference, so the weights are not needed.
    package init(accepted field: String) {
        let codes = field.split(separator: ",").lazy.map { item in
            item.drop { $0 == " " }.prefix { $0 != "-" && $0 != ";" && $0 != " " }
        }
        self = codes.compactMap { Self(code: $0) }.first ?? .english
    }

    private init?(code: Substring) { self.init(rawValue: code.lowercased()) }
}
