import Base

/// The fields of a form, `application/x-www-form-urlencoded`.
package struct PageForm: Sendable, Confidential {
    private let values: [String: String]

    /// Nil for a body that no browser makes from our forms.
    package init?(_ body: [UInt8]) {
        var values: [String: String] = [:]
        for pair in body.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = Self.text(parts[0]), let value = Self.text(parts[1]),
                values.updateValue(value, forKey: name) == nil
            else { return nil }
        }
        self.values = values
    }

    package subscript(name: String) -> String? { values[name] }

    /// Whether the form is one that we gave to this session. It takes the same time wherever the
    /// difference is.
    package func proves(_ token: String) -> Bool {
        let given = Array((values["csrf"] ?? "").utf8)
        let token = Array(token.utf8)
        guard given.count == token.count else { return false }
        var difference: UInt8 = 0
        for index in token.indices { difference |= token[index] ^ given[index] }
        return difference == 0
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String? {
        var text: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): text.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst()?.hexValue, let low = rest.popFirst()?.hexValue
                else { return nil }
                text.append(high << 4 | low)
            default: text.append(byte)
            }
        }
        return String(validating: text, as: UTF8.self)
    }
}
