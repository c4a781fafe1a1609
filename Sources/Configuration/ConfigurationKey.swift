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

struct SettingValues {
    private let settings: [String: [Setting]]

    init(_ settings: [String: [Setting]]) { self.settings = settings }

    func all(_ key: ConfigurationKey) -> [String]? { settings[key.name]?.map(\.value) }

    func first(_ key: ConfigurationKey) -> String? { settings[key.name]?.first?.value }

    func first<Value>(
        _ key: ConfigurationKey, _ read: (String) throws(ConfigurationError) -> Value
    ) throws(ConfigurationError) -> Value? {
        guard let text = first(key) else { return nil }
        return try read(text)
    }

    func source(_ key: ConfigurationKey) -> SettingSource? { settings[key.name]?.first?.source }
}
