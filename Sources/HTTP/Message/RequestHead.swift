import Base

/// A request without its body. All its texts are ranges of `bytes`.
package struct RequestHead: Sendable {
    package internal(set) var method = HTTPMethod.get
    package internal(set) var version = HTTPVersion.http11
    package internal(set) var fields = HTTPFields()

    package internal(set) var contentLength: Int?
    package internal(set) var isChunked = false
    /// The sender waits for "100 Continue" before it sends the body.
    package internal(set) var expectsContinue = false
    /// `Connection` names upgrade and there is a field `Upgrade`.
    package internal(set) var asksForUpgrade = false
    /// Whether the sender is ready to send another request on this connection.
    package internal(set) var keepsAlive = true

    private var targetBytes = HTTPFields.ByteRange(0..<0)
    private var pathBytes = HTTPFields.ByteRange(0..<0)
    private var queryBytes: HTTPFields.ByteRange?
    private var authorityBytes: HTTPFields.ByteRange?

    package init() {}

    package var bytes: [UInt8] { fields.bytes }

    /// Path and query, or the other forms of a target.
    package internal(set) var target: Range<Int> {
        get { targetBytes.range }
        set { targetBytes = HTTPFields.ByteRange(newValue) }
    }

    /// The path, which is never empty; it is `*` if OPTIONS asks about the server as a whole.
    package internal(set) var path: Range<Int> {
        get { pathBytes.range }
        set { pathBytes = HTTPFields.ByteRange(newValue) }
    }

    /// The query, without the question mark.
    package internal(set) var query: Range<Int>? {
        get { queryBytes?.range }
        set { queryBytes = newValue.map(HTTPFields.ByteRange.init) }
    }

    /// Host and port that the request was addressed to; nil only in HTTP/1.0.
    package internal(set) var authority: Range<Int>? {
        get { authorityBytes?.range }
        set { authorityBytes = newValue.map(HTTPFields.ByteRange.init) }
    }

    package var hasBody: Bool { isChunked || (contentLength ?? 0) > 0 }

    package func text(_ range: Range<Int>) -> String { fields.text(range) }

    /// Clears the request and keeps its memory for the next one.
    mutating func reset() {
        var storage = HTTPFields()
        swap(&storage, &fields)
        storage.removeAll()
        self = RequestHead()
        swap(&storage, &fields)
    }
}

package enum HTTPVersion: UInt8, Sendable {
    case http10
    /// This also stands for 1.2 and up, whose senders must understand 1.1 (RFC 9110 section 2.5).
    case http11
    case http2
}

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

/// The items `name=value` of a query. The first of several with the same name counts.
package struct QueryItems {
    private let items: [Substring]
    private let isForm: Bool

    /// `isForm`: a browser has written it for a form, with a plus for a blank.
    package init(_ query: String, isForm: Bool = false) {
        (items, self.isForm) = (query.split(separator: "&"), isForm)
    }

    /// Nil if it is missing or not valid text.
    package subscript(name: String) -> String? {
        guard let item = items.first(where: { $0.hasPrefix(name + "=") }) else { return nil }
        let value = item.dropFirst(name.count + 1)
        return PercentEncoding.decoded(value.utf8, inForm: isForm).flatMap {
            String(validating: $0, as: UTF8.self)
        }
    }
}
