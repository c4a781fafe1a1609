/// Where a link leads whose text does not say so.
package enum HiddenHost {
    /// The host of the link; nil if the text is that, or an address that begins with it. Any other text
    /// could look like an address: there are dots of other scripts, and signs that are not seen.
    package static func behind(_ text: String, _ link: String) -> String? {
        let host = host(of: link)
        guard !host.isEmpty else { return link }
        var said = text.lowercased()[...]
        for start in ["https://", "www."] where said.hasPrefix(start) {
            said = said.dropFirst(start.count)
        }
        guard said.hasPrefix(host) else { return host }
        let next = said.dropFirst(host.count).first
        return next.map { "/?#".contains($0) } ?? true ? nil : host
    }

    /// In lower case, without user, port and `www`. Browsers take a backslash for a slash, and any
    /// number of them.
    private static func host(of link: String) -> String {
        guard let scheme = link.firstRange(of: "://") else { return "" }
        let authority = link[scheme.upperBound...].drop { "/\\".contains($0) }
        var rest = authority.prefix { !"/?#\\".contains($0) }
        if let user = rest.lastIndex(of: "@") { rest = rest[rest.index(after: user)...] }
        let isLiteral = rest.first == "["
        var host = rest.prefix { isLiteral ? $0 != "]" : $0 != ":" }.lowercased()
        if isLiteral { host += "]" }
        return host.hasPrefix("www.") ? String(host.dropFirst(4)) : host
    }
}
