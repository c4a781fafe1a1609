import Dialects

/// Where to deliver a push that we decrypt for its registration.
package struct EnginePush: Sendable {
    let engine: UInt32
    private(set) var dialect: Dialect
    /// Unencrypted payloads may trigger actions.
    var trustsClear = false
    /// The user of the account, if the application named one.
    let userID: Int64?
    /// Other users of the application whose pushes arrive at the same endpoint.
    var otherUserIDs: [Int64] = []
    /// The payload is kept for a fetching client when nobody else receives it.
    let isFetched: Bool

    /// The same for a text of the server's own, whatever its senders send.
    package var ofText: EnginePush {
        var push = self
        push.dialect = .plain
        return push
    }
}

extension Registration {
    /// What the engine needs to know about a push.
    package var enginePush: EnginePush {
        EnginePush(
            engine: engine, dialect: terms.dialect, trustsClear: terms.trustsClear,
            userID: terms.userID, otherUserIDs: terms.otherUserIDs,
            isFetched: terms.callback == nil && !terms.isOnlyShown || terms.dialect == .icq)
    }
}
