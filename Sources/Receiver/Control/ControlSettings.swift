import System

/// What the control socket goes by; a reload may change some of it.
package final class ControlSettings: Sendable {
    package let baseURL: BaseURL
    private let localUsers: Lock<Bool>
    /// Makes another master key and has everything sealed anew; answers the name of the key.
    let rotateMasterKey: @Sendable () throws -> String

    package init(
        baseURL: BaseURL, allowsLocalUsers: Bool,
        rotateMasterKey: @escaping @Sendable () throws -> String
    ) {
        self.baseURL = baseURL
        self.rotateMasterKey = rotateMasterKey
        localUsers = Lock(allowsLocalUsers)
    }

    /// Whether users of this machine who do not administer may have devices. From any thread.
    package var allowsLocalUsers: Bool {
        get { localUsers.withLock { $0 } }
        set { localUsers.withLock { $0 = newValue } }
    }
}
