package import Configuration
package import Mailbox

package struct ControlSettings: Sendable {
    package let baseURL: BaseURL
    /// Makes a new master key, or takes the next one of a cluster, and starts to seal everything
    /// again; returns the id of the key.
    let rotateMasterKey: @Sendable () throws -> String
    let rotation: @Sendable () -> MasterKeyRotation
    /// Begins to move the store, unless that is under way or the wish is nil, and tells how far it is.
    let move: @Sendable (MoveWish?) -> MoveStatus

    package init(
        baseURL: BaseURL, rotateMasterKey: @escaping @Sendable () throws -> String,
        rotation: @escaping @Sendable () -> MasterKeyRotation,
        move: @escaping @Sendable (MoveWish?) -> MoveStatus
    ) {
        self.baseURL = baseURL
        self.rotateMasterKey = rotateMasterKey
        self.rotation = rotation
        self.move = move
    }
}

/// How far a change of the master key is.
package struct MasterKeyRotation: Sendable {
    /// Nil when it is done.
    let progress: ResealingProgress?
    /// Several nodes change theirs.
    let isShared: Bool
    /// Rows that could not be unsealed.
    let unopened: Int
    /// Why it did not begin.
    let failure: String?

    package init(
        progress: ResealingProgress?, isShared: Bool = false, unopened: Int = 0,
        failure: String? = nil
    ) {
        self.progress = progress
        self.isShared = isShared
        self.unopened = unopened
        self.failure = failure
    }
}

/// Why the key cannot be changed now, in words for whoever asked.
package struct RotationRefusal: Error {
    let reason: String

    package init(reason: String) { self.reason = reason }
}
