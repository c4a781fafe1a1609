import Base

/// One method call to an application's connector.
package struct ConnectorCall: Equatable, Sendable, Confidential {
    package enum Content: Equatable, Sendable {
        case message([UInt8], id: String)
        case endpoint(String)
        /// In the first generation an empty token confirms that the application unregistered.
        case unregistered(isConfirmation: Bool)
    }

    package let destination: String
    package let token: String
    package let content: Content
    package let version: ConnectorVersion
    package let path: String
    package let startsService: Bool

    package static let usualPath = "/org/unifiedpush/Connector"
    /// Some connectors export their object here.
    package static let rootPath = "/"
}
