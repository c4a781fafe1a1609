import Base

/// Identifies a registration. Applications in different sandboxes may use the same token.
package struct ClientKey: Hashable, Sendable, Confidential {
    /// The id of the sandboxed application; empty outside a sandbox.
    package let sandbox: String
    package let token: String

    package init(sandbox: String, token: String) {
        self.sandbox = sandbox
        self.token = token
    }
}
