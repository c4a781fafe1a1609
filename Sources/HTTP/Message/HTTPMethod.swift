import Base

/// The method of a request (RFC 9110 section 9).
package enum HTTPMethod: Hashable, Sendable {
    case get
    case head
    case post
    case put
    case delete
    case options
    case patch
    case connect
    case trace
    case other(String)

    /// Methods are case-sensitive (RFC 9110 section 9.1).
    init(_ token: Span<UInt8>) {
        self =
            switch token.count {
            case 3 where token.elementsEqual("GET"): .get
            case 3 where token.elementsEqual("PUT"): .put
            case 4 where token.elementsEqual("POST"): .post
            case 4 where token.elementsEqual("HEAD"): .head
            case 5 where token.elementsEqual("PATCH"): .patch
            case 5 where token.elementsEqual("TRACE"): .trace
            case 6 where token.elementsEqual("DELETE"): .delete
            case 7 where token.elementsEqual("OPTIONS"): .options
            case 7 where token.elementsEqual("CONNECT"): .connect
            default: .other(String(decoding: token.array(token.indices), as: UTF8.self))
            }
    }

    package var text: String {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .delete: "DELETE"
        case .options: "OPTIONS"
        case .patch: "PATCH"
        case .connect: "CONNECT"
        case .trace: "TRACE"
        case .other(let text): text
        }
    }
}
