package import Base

/// Finds the client of a request behind proxies.
package enum ClientAddress {
    /// Reads `X-Forwarded-For` from its right end, where each trusted proxy has added the address
    /// it got the request from. Anything left of the first untrusted address may be forged.
    ///
    /// `peer` is nil if the other end has no address. An element that is not an address ends the
    /// search: the last trusted proxy is then the best that is known.
    package static func client(
        peer: IPAddress?, isPeerTrusted: Bool, trusted: [IPAddress], forwardedFor: [UInt8]?
    ) -> IPAddress? {
        guard isPeerTrusted, let forwardedFor else { return peer }
        var client = peer
        for element in forwardedFor.split(
            separator: UInt8(ascii: ","), omittingEmptySubsequences: false
        ).reversed() {
            guard let address = address(element) else { return client }
            client = address
            guard trusted.contains(address) else { return client }
        }
        return client
    }

    /// `192.0.2.1`, `2001:db8::1`, and the forms with brackets or a port that some proxies write.
    private static func address(_ element: ArraySlice<UInt8>) -> IPAddress? {
        let text = String(decoding: element, as: UTF8.self)
        var trimmed = Substring(text)
        while let first = trimmed.first, first == " " || first == "\t" { trimmed.removeFirst() }
        while let last = trimmed.last, last == " " || last == "\t" { trimmed.removeLast() }
        if let address = IPAddress(String(trimmed)) { return address }
        if trimmed.hasPrefix("["), let end = trimmed.firstIndex(of: "]") {
            return IPAddress(String(trimmed[trimmed.index(after: trimmed.startIndex)..<end]))
        }
        guard let colon = trimmed.lastIndex(of: ":") else { return nil }
        return IPAddress(String(trimmed[..<colon]))
    }
}
