package import Configuration

/// What the control socket goes by.
package struct ControlSettings: Sendable {
    package let baseURL: BaseURL
    /// Makes another master key and has everything sealed anew; answers the name of the key.
    let rotateMasterKey: @Sendable () throws -> String

    package init(
        baseURL: BaseURL, rotateMasterKey: @escaping @Sendable () throws -> String
    ) {
        self.baseURL = baseURL
        self.rotateMasterKey = rotateMasterKey
    }
}
