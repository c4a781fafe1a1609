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

    /// Whether the form is one that we gave to this session.
    package func proves(_ token: String) -> Bool {
        let given = Array((values["csrf"] ?? "").utf8)
        return Array(token.utf8).span.isEqualSecretly(to: given.span)
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String? {
        PercentEncoding.decoded(bytes, inForm: true).flatMap {
            String(validating: $0, as: UTF8.self)
        }
    }
}
