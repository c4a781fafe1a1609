package import Base

/// One request and its answer for the access log: without path, query and fields, which may contain
/// secrets.
package struct HTTPAccess: Sendable {
    /// Called on the thread of a loop after each answer; it must return soon.
    package typealias Report = @Sendable (HTTPAccess) -> Void

    package let method: HTTPMethod
    /// The handler's name for the requested resource.
    package let label: StaticString
    package let status: Int
    package let bytesReceived: Int
    package let bytesSent: Int
    package let client: IPAddress?
}
