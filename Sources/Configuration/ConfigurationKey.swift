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
    /// Whole sentences that the help of a command has no room for.
    package let more: String
    /// Values in the commented file; the default, if there are none.
    let examples: [String]
    package let effect: Effect
    /// Returns what is wrong with a value, or nil.
    let check: @Sendable (String) -> String?

    init(
        _ name: String, _ placeholder: String, isRepeatable: Bool = false, fallback: String,
        isSecret: Bool = false, help: String, more: String = "", examples: String...,
        effect: Effect = .atReload, check: @escaping @Sendable (String) -> String? = { _ in nil }
    ) {
        (self.name, self.placeholder, self.isRepeatable) = (name, placeholder, isRepeatable)
        (self.fallback, self.isSecret, self.effect) = (fallback, isSecret, effect)
        (self.help, self.more, self.check) = (help, more, check)
        self.examples = examples.isEmpty ? [fallback] : examples
    }

    /// One that is off unless it is set to yes.
    static func flag(
        _ name: String, help: String, more: String = "", effect: Effect = .atReload
    ) -> ConfigurationKey {
        ConfigurationKey(
            name, "yes|no", fallback: "no", help: help, more: more, effect: effect,
            check: oneOf(["yes", "no"]))
    }

    /// The help, and what holds for each key.
    package var explanation: String {
        help + (isRepeatable ? "; repeatable" : "")
            + (effect == .atStart ? "; a change needs a restart" : "") + " (default: \(fallback))"
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
        let names = all.map(\.name)
        return NearestWord.to(name, in: names).map { "did you mean \($0)?" }
            ?? "the keys are " + names.joined(separator: ", ")
    }
}

/// One value as it was written.
package struct Setting: Equatable, Sendable {
    package let value: String
    package let source: SettingSource

    package init(_ value: String, from source: SettingSource) {
        self.value = value
        self.source = source
    }
}

/// Where a value comes from, in order of precedence.
package enum SettingSource: Equatable, Sendable, CustomStringConvertible {
    case option(String)
    case environment(String)
    case file(String, line: Int)
    case fallback

    package var description: String {
        switch self {
        case .option(let key): "--\(key)"
        case .environment(let name): name
        case .file(let path, let line): "\(path):\(line)"
        case .fallback: "default"
        }
    }
}

/// The values of the keys that are set, checked.
package struct SettingValues: Sendable {
    private let settings: [String: [Setting]]

    package init(_ settings: [String: [Setting]] = [:]) { self.settings = settings }

    /// The value of a key that is set once; nil if it is not set.
    package subscript(_ key: ConfigurationKey) -> String? { settings[key.name]?.first?.value }

    /// Whether a key that takes yes or no says yes.
    package func isOn(_ key: ConfigurationKey) -> Bool { self[key] == "yes" }

    func all(_ key: ConfigurationKey) -> [String]? { settings[key.name]?.map(\.value) }

    func first<Value>(
        _ key: ConfigurationKey, _ read: (String) throws(ConfigurationError) -> Value
    ) throws(ConfigurationError) -> Value? {
        guard let text = self[key] else { return nil }
        return try read(text)
    }

    func source(_ key: ConfigurationKey) -> SettingSource? { settings[key.name]?.first?.source }

    func settings(of key: ConfigurationKey) -> [Setting] { settings[key.name] ?? [] }
}
