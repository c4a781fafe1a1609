import Base

/// The `headers` of a `bellwire decrypt` line: each name has a text or a list of texts.
struct HeaderMembers {
    /// Names are in lower case; several lines of a field form one list (RFC 7230 section 3.2.2).
    private var values: [String: [UInt8]] = [:]
    private(set) var isWellFormed = true

    subscript(_ name: String) -> [UInt8]? { values[name] }

    /// Reads the next value. A value of another type is skipped and makes the fields malformed.
    mutating func read(_ scanner: inout JSONScanner) throws(JSONScanner.Failure) {
        guard scanner.isAtObject else {
            isWellFormed = false
            return try scanner.skipValue()
        }
        var headers = self
        try scanner.forEachMember { name, scanner throws(JSONScanner.Failure) in
            let name = scanner.string(name).lowercased()
            guard scanner.isAtArray else {
                return headers.add(try scanner.stringOrSkip(), to: name, scanner)
            }
            try scanner.forEachElement { scanner throws(JSONScanner.Failure) in
                headers.add(try scanner.stringOrSkip(), to: name, scanner)
            }
        }
        self = headers
    }

    private mutating func add(_ value: JSONText?, to name: String, _ scanner: JSONScanner) {
        guard let value else {
            isWellFormed = false
            return
        }
        let line = scanner.utf8(of: value)
        values[name] = values[name].map { $0 + Array(", ".utf8) + line } ?? line
    }
}
