package import Base

/// One request and its answer, as a log may tell of them: without path, query and fields, in any of
/// which a secret may stand.
package struct HTTPAccess: Sendable {
    /// Called on the thread of a loop, after each answer; it returns soon.
    package typealias Report = @Sendable (HTTPAccess) -> Void

    package let method: HTTPMethod
    /// What the handler calls that which was asked for.
    package let label: StaticString
    package let status: Int
    package let bytesReceived: Int
    package let bytesSent: Int
    package let client: IPAddress?
}
