/// One value as it was written.
package struct Setting: Equatable, Sendable {
    package let value: String
    package let source: SettingSource

    package init(_ value: String, from source: SettingSource) {
        self.value = value
        self.source = source
    }
}
