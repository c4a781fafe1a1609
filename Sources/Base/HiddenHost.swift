/// Where a link leads whose text looks like another address.
enum HiddenHost {
    /// The host of the link, unless the text says the same one, or none.
    static func behind(_ text: String, _ link: String) -> String? {
        guard let target = host(ofAddress: link[...]) else { return nil }
        let said = text.split(whereSeparator: \.isWhitespace).compactMap { host(in: $0) }
        return said.contains { $0 != target } ? target : nil
    }

    /// What a word says that is an address, with or without `https://`.
    private static func host(in word: Substring) -> String? {
        let word = word.drop { !$0.isLetter && !$0.isNumber && $0 != "[" }
        if word.contains("://") { return host(ofAddress: word) }
        var host = host(ofAuthority: word)
        while let last = host.last, !last.isLetter, !last.isNumber { host.removeLast() }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count > 1, labels.allSatisfy({ !$0.isEmpty }), let last = labels.last,
            last.count > 1, last.allSatisfy(\.isLetter)
        else { return nil }
        return host
    }

    private static func host(ofAddress text: Substring) -> String? {
        guard let scheme = text.firstRange(of: "://") else { return nil }
        return host(ofAuthority: text[scheme.upperBound...])
    }

    /// In lower case, without user, port and `www`. Browsers take a backslash for a slash.
    private static func host(ofAuthority text: Substring) -> String {
        var rest = text.prefix { !"/?#\\".contains($0) }
        if let user = rest.lastIndex(of: "@") { rest = rest[rest.index(after: user)...] }
        let isLiteral = rest.first == "["
        var host = rest.prefix { isLiteral ? $0 != "]" : $0 != ":" }.lowercased()
        if isLiteral { host += "]" }
        return host.hasPrefix("www.") ? String(host.dropFirst(4)) : host
    }
}
