package struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
    package let source: SettingSource?
    package let message: String
    package let hint: String?

    package init(_ message: String, in source: SettingSource? = nil, hint: String? = nil) {
        self.source = source
        self.message = message
        self.hint = hint
    }

    package var description: String { source.map { "\($0): \(message)" } ?? message }
}
