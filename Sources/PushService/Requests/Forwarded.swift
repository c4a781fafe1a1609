package import HTTP

extension RequestHead {
    /// Whether a proxy has passed the request on. Then the peer's address says nothing about where
    /// it comes from.
    package var isForwarded: Bool {
        var isForwarded = false
        fields.forEach { name, _ in
            let start = name.extracting(0..<min(name.count, 12))
            isForwarded =
                isForwarded || name.equalsIgnoringCase("forwarded")
                || start.equalsIgnoringCase("x-forwarded-")
        }
        return isForwarded
    }
}
