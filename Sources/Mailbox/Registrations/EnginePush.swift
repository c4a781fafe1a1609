import Dialects

/// Where a push goes whose registration we decrypt for.
package struct EnginePush: Sendable {
    let engine: UInt32
    let dialect: Dialect
    /// What comes in clear may act.
    var trustsClear = false
    /// Whose account it is, as far as that was said.
    let userID: Int64?
    /// Users of the application whose pushes come by the same endpoint.
    var otherUserIDs: [Int64] = []
    /// Something waits for whoever fetches as long as nobody else gets it.
    let isFetched: Bool
}

extension Registration {
    /// What its engine has to know of a push.
    package var enginePush: EnginePush {
        EnginePush(
            engine: engine, dialect: terms.dialect, trustsClear: terms.trustsClear,
            userID: terms.userID, otherUserIDs: terms.otherUserIDs,
            isFetched: terms.callback == nil || terms.dialect == .icq)
    }
}
