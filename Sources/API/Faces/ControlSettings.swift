package import Configuration

package struct ControlSettings: Sendable {
    package let baseURL: BaseURL
    /// Makes a new master key and starts to seal everything again; returns the id of the key.
    let rotateMasterKey: @Sendable () throws -> String

    package init(
        baseURL: BaseURL, rotateMasterKey: @escaping @Sendable () throws -> String
    ) {
        self.baseURL = baseURL
        self.rotateMasterKey = rotateMasterKey
    }
}
