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
    /// Returns what is wrong with a value, or nil.
    let check: @Sendable (String) -> String?

    init(
        _ name: String, _ placeholder: String, isRepeatable: Bool = false, fallback: String,
        isSecret: Bool = false, help: String, check: @escaping @Sendable (String) -> String?
    ) {
        self.name = name
        self.placeholder = placeholder
        self.isRepeatable = isRepeatable
        self.fallback = fallback
        self.isSecret = isSecret
        self.help = help
        self.check = check
    }

    package static func named(_ name: String) -> ConfigurationKey? {
        all.first { $0.name == name }
    }

    /// `base-url` is `BELLWIRE_BASE_URL`.
    package var environmentName: String {
        "BELLWIRE_" + name.uppercased().replacing("-", with: "_")
    }

    /// The value without its secrets.
    func shown(_ value: String) -> String {
        guard isSecret, let at = value.lastIndex(of: "@") else { return value }
        let scheme = value.firstRange(of: "://").map { value[..<$0.upperBound] } ?? ""
        return scheme + "<secret>" + value[at...]
    }
}
