import Base

/// One setting.
package struct ConfigurationKey: Sendable {
    package let name: String
    /// Stands for the value in the help.
    package let placeholder: String
    package let isRepeatable: Bool
    /// The default; in words if it depends on other things.
    package let fallback: String
    /// The value may be a URL with a password, which must not be shown.
    package let isSecret: Bool
    package let help: String
    package let effect: Effect
    /// Returns what is wrong with a value, or nil.
    let check: @Sendable (String) -> String?

    init(
        _ name: String, _ placeholder: String, isRepeatable: Bool = false, fallback: String,
        isSecret: Bool = false, help: String, effect: Effect = .atReload,
        check: @escaping @Sendable (String) -> String?
    ) {
        self.name = name
        self.placeholder = placeholder
        self.isRepeatable = isRepeatable
        self.fallback = fallback
        self.isSecret = isSecret
        self.help = help
        self.effect = effect
        self.check = check
    }

    /// When a running server takes a change of the value.
    package enum Effect: String, Sendable {
        /// At once, when it receives SIGHUP.
        case atReload = "reload"
        /// Only when it starts again.
        case atStart = "start"
    }

    package static func named(_ name: String) -> ConfigurationKey? {
        all.first { $0.name == name }
    }

    /// `base-url` is `BELLWIRE_BASE_URL`.
    package var environmentName: String {
        "BELLWIRE_" + name.uppercased().replacing(each: "-", by: "_")
    }

    /// The value without its secrets: of each URL, if it is a list of URLs.
    func shown(_ value: String) -> String {
        guard isSecret else { return value }
        let parts = value.split(separator: ",", omittingEmptySubsequences: false)
        // Otherwise the comma may stand in a password.
        guard parts.allSatisfy({ String($0).place(of: "://") != nil }) else {
            return Self.withoutUser(value)
        }
        return parts.map { Self.withoutUser(String($0)) }.joined(separator: ",")
    }

    private static func withoutUser(_ url: String) -> String {
        guard let at = url.lastIndex(of: "@") else { return url }
        let scheme = url.place(of: "://").map { url[..<$0.upperBound] } ?? ""
        return scheme + "<secret>" + url[at...]
    }
}

extension ConfigurationKey {
    static func hint(for name: String) -> String {
        // A longer name is not a typing mistake, and comparing it would take long.
        guard name.utf8.count <= 64 else { return everyKey }
        let word = name.lowercased().replacing(each: "_", by: "-")
        let nearest = all.min { distance($0.name, word) < distance($1.name, word) }
        guard let nearest, distance(nearest.name, word) <= max(2, word.count / 3) else {
            return everyKey
        }
        return "did you mean \(nearest.name)?"
    }

    private static var everyKey: String {
        "the keys are " + all.map(\.name).joined(separator: ", ")
    }

    /// The edit distance: how many letters must be inserted, removed or changed.
    private static func distance(_ left: String, _ right: String) -> Int {
        let right = Array(right)
        var row = Array(0...right.count)
        for (index, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in right.indices {
                let changed = diagonal + (letter == right[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(changed, row[column] + 1, diagonal + 1)
            }
        }
        return row[right.count]
    }
}
