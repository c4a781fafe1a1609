import Base

/// What a request for a topic says about its sender: the credentials, and what browsers and proxies
/// add.
package struct CallerFields: Sendable, Confidential {
    /// Of the header.
    private(set) var authorization = ""
    private(set) var gotifyKey = ""
    /// Of the query.
    private(set) var encodedField = ""
    private(set) var token = ""

    /// A browser or a proxy has sent it, so the address of the peer says nothing.
    private(set) var isMarked = false
    /// A page of another site has sent it, as the browser says (Fetch Metadata).
    private(set) var isOfOtherSite = false
    /// The browser shows or runs the answer, as it does for a link or a picture.
    private(set) var isLoad = false

    package init() {}

    /// Records one field of the header. Of several with one name, the first counts that says
    /// something.
    package mutating func record(_ name: Span<UInt8>, _ value: Span<UInt8>) {
        if name.equalsIgnoringCase("authorization") {
            Self.keep(value, in: &authorization)
        } else if name.equalsIgnoringCase("x-gotify-key") {
            Self.keep(value, in: &gotifyKey)
        } else if name.equalsIgnoringCase("sec-fetch-site") {
            let isOwn = value.elementsEqual("same-origin") || value.elementsEqual("none")
            isOfOtherSite = isOfOtherSite || !isOwn
        } else if name.equalsIgnoringCase("sec-fetch-dest") {
            isLoad = isLoad || !value.elementsEqual("empty")
        }
        isMarked = isMarked || Self.isMark(name)
    }

    /// Records the query. Nothing in it says anything about browsers and proxies.
    package mutating func record(query: Span<UInt8>) {
        for (name, value) in PercentEncoding.pairs(query) {
            switch String(decoding: name, as: UTF8.self) {
            case "auth", "authorization": Self.keep(value.span, in: &encodedField)
            case "token": Self.keep(value.span, in: &token)
            default: break
            }
        }
    }

    private static func keep(_ value: Span<UInt8>, in text: inout String) {
        if text.isEmpty { text = String(decoding: value.array(value.indices), as: UTF8.self) }
    }

    private static let marks: [StaticString] = ["origin", "referer", "cookie", "forwarded", "via"]
    private static let markedStarts: [StaticString] = ["sec-fetch-", "x-forwarded-"]

    private static func isMark(_ name: Span<UInt8>) -> Bool {
        marks.contains { name.equalsIgnoringCase($0) }
            || markedStarts.contains { start in
                name.count >= start.utf8CodeUnitCount
                    && name.extracting(0..<start.utf8CodeUnitCount).equalsIgnoringCase(start)
            }
    }
}

/// Decides whether a caller without a credential is a program of this machine.
///
/// Pages of other sites run in browsers of this machine, and proxies speak for others. So whatever
/// looks like either of them is none, and names that may lead elsewhere do not count.
package struct AnonymousCaller {
    /// The listener is bound to a loopback address, and still open.
    package var isListenerForThisMachine = false
    package var isRegistrationOpen = false
    /// Host and port that the request was addressed to.
    package var host = ""

    package init(isListenerForThisMachine: Bool, isRegistrationOpen: Bool, host: String) {
        self.isListenerForThisMachine = isListenerForThisMachine
        self.isRegistrationOpen = isRegistrationOpen
        self.host = host
    }

    package func caller(_ fields: CallerFields) -> TopicCaller {
        isListenerForThisMachine && isRegistrationOpen && !fields.isMarked
            && Self.isThisMachine(host) ? .thisMachine : .stranger
    }

    /// Whether it is `localhost` or a loopback address, with or without a port.
    private static func isThisMachine(_ authority: String) -> Bool {
        var (host, port) = (Substring(authority), Substring())
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { return false }
            host = authority[..<end].dropFirst()
            port = authority[end...].dropFirst()
            guard host.contains(":") else { return false }
        } else if let colon = authority.firstIndex(of: ":") {
            (host, port) = (authority[..<colon], authority[colon...])
        }
        let digits = Array(port.dropFirst().utf8)
        guard port.isEmpty || port.first == ":" && UInt16(decimalDigits: digits.span) != nil else {
            return false
        }
        return host.lowercased() == "localhost" || IPAddress(String(host))?.isLoopback == true
    }
}
