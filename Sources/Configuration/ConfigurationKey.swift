/// One thing that can be configured.
package struct ConfigurationKey: Sendable {
    package let name: String
    /// What stands for the value in the help.
    package let placeholder: String
    package let isRepeatable: Bool
    /// What is in force where nothing is said, in words if it depends on something.
    package let fallback: String
    /// Whether a URL in it may hold a password, which is never shown.
    package let isSecret: Bool
    package let help: String
    /// Says what is wrong with a value, if anything is.
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

    /// The value as it may be shown.
    func shown(_ value: String) -> String {
        guard isSecret, let at = value.lastIndex(of: "@") else { return value }
        let scheme = value.firstRange(of: "://").map { value[..<$0.upperBound] } ?? ""
        return scheme + "<secret>" + value[at...]
    }
}
