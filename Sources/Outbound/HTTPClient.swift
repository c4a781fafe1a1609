import Base
import CCurl

package struct HTTPRequest: Sendable, Confidential {
    package var method: String
    package var url: String
    package var fields: [(name: String, value: String)]
    package var body: [UInt8]
    /// A file of certificates to trust instead of the system's.
    package var certificateFile: String?
    /// The socket to connect to, whatever host the URL names.
    package var unixSocket: String?
    /// The rest of a longer answer is skipped.
    package var answerLimit = 65_536
    package var timeoutSeconds = HTTPClient.timeoutSeconds

    package init(
        method: String, url: String, fields: [(name: String, value: String)] = [],
        body: [UInt8] = [], certificateFile: String? = nil, unixSocket: String? = nil
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
        self.certificateFile = certificateFile
        self.unixSocket = unixSocket
    }
}

package struct HTTPResponse: Sendable, Confidential {
    package let status: Int
    /// Names in lower case.
    package let fields: [(name: String, value: String)]
    package let body: [UInt8]

    package func field(_ name: String) -> String? { fields.first { $0.name == name }?.value }
}

/// Sends one request and waits for its answer.
///
/// Redirects are not followed: an endpoint that moved has to be registered again.
package enum HTTPClient {
    package static let timeoutSeconds = 30
    package static let connectTimeoutSeconds = 10

    package static func send(
        _ request: HTTPRequest, userAgent: String
    ) throws(CurlError) -> HTTPResponse {
        let easy = try EasyHandle()
        let answer = AnswerSink(limit: request.answerLimit)
        let fields = try TextList(fields: request.fields)
        try configure(easy, request, userAgent: userAgent)
        try easy.set(CURLOPT_HTTPHEADER, UnsafeRawPointer(fields.handle))
        try easy.set(CURLOPT_POSTFIELDSIZE, request.body.count)
        try answer.attach(to: easy)
        try request.body.span.withUnsafeBytes { body throws(CurlError) in
            // An empty array may have no address, and libcurl would then read the body from a file.
            try easy.set(CURLOPT_POSTFIELDS, body.baseAddress ?? UnsafeRawPointer(easy.handle))
            try easy.perform()
        }
        return HTTPResponse(
            status: try easy.status, fields: answer.fields, body: answer.body)
    }

    private static func configure(
        _ easy: borrowing EasyHandle, _ request: HTTPRequest, userAgent: String
    ) throws(CurlError) {
        try easy.set(CURLOPT_URL, request.url)
        try easy.set(CURLOPT_PROTOCOLS_STR, "http,https")
        try easy.set(CURLOPT_POST, 1)
        try easy.set(CURLOPT_CUSTOMREQUEST, request.method)
        try easy.set(CURLOPT_USERAGENT, userAgent)
        try easy.set(CURLOPT_NOSIGNAL, 1)
        try easy.set(CURLOPT_TIMEOUT, request.timeoutSeconds)
        try easy.set(CURLOPT_CONNECTTIMEOUT, connectTimeoutSeconds)
        if let file = request.certificateFile { try easy.set(CURLOPT_CAINFO, file) }
        if let path = request.unixSocket {
            try easy.set(CURLOPT_UNIX_SOCKET_PATH, path)
        }
        // What stays on this machine uses no proxy, not even one of the environment: it would see the
        // secrets that are sent in clear. For other hosts libcurl reads `no_proxy`.
        let url = try? ParsedURL(request.url, schemes: ["http", "https"])
        if request.unixSocket != nil || url?.isLoopback == true {
            try easy.set(CURLOPT_PROXY, "")
        }
    }
}

/// Collects the answer of one transfer. It lives until the transfer has ended.
final class AnswerSink {
    private(set) var fields: [(name: String, value: String)] = []
    private(set) var body: [UInt8] = []
    /// All fields have arrived, and as much of the body as is wanted.
    private(set) var isEnough = false
    private let limit: Int
    /// Whether to end the transfer at the limit. Otherwise the rest is read and dropped.
    private let endsAtLimit: Bool
    private var headLength = 0

    init(limit: Int, endsAtLimit: Bool = false) {
        self.limit = limit
        self.endsAtLimit = endsAtLimit
    }

    func attach(to easy: borrowing EasyHandle) throws(CurlError) {
        try easy.set(CURLOPT_WRITEFUNCTION, sink: collectBody)
        try easy.set(CURLOPT_HEADERFUNCTION, sink: collectField)
        let context = Unmanaged.passUnretained(self).toOpaque()
        try easy.set(CURLOPT_WRITEDATA, UnsafeRawPointer(context))
        try easy.set(CURLOPT_HEADERDATA, UnsafeRawPointer(context))
    }

    /// Returns false to end the transfer.
    fileprivate func append(body bytes: UnsafeRawBufferPointer) -> Bool {
        let room = limit - body.count
        body.append(contentsOf: bytes.prefix(room))
        isEnough = bytes.count > room
        return !(endsAtLimit && isEnough)
    }

    fileprivate func append(line bytes: UnsafeRawBufferPointer) -> Bool {
        headLength += bytes.count
        guard !endsAtLimit || headLength <= limit else { return false }
        let line = String(decoding: bytes, as: UTF8.self)
        if line.hasPrefix("HTTP/") {
            // A new status line follows an interim answer such as 100; only the last head counts.
            fields.removeAll()
        } else if let colon = line.firstIndex(of: ":") {
            let value = line[line.index(after: colon)...]
            fields.append((line[..<colon].lowercased(), trimmed(value)))
        }
        return true
    }
}

private let collectBody: ccurl_sink = { bytes, size, count, context in
    guard let bytes, let context else { return 0 }
    let answer = Unmanaged<AnswerSink>.fromOpaque(context).takeUnretainedValue()
    let chunk = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return answer.append(body: chunk) ? chunk.count : 0
}

private let collectField: ccurl_sink = { bytes, size, count, context in
    guard let bytes, let context else { return 0 }
    let answer = Unmanaged<AnswerSink>.fromOpaque(context).takeUnretainedValue()
    let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return answer.append(line: line) ? line.count : 0
}

private func trimmed(_ text: Substring) -> String {
    let start = text.drop { $0.isWhitespace }
    guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(start[...end])
}
