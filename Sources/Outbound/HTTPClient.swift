import Base
import CCurl

/// Sends one request and waits for its answer.
///
/// Redirects are not followed: a push service that moved must be registered with anew.
package enum HTTPClient {
    package static let timeoutSeconds = 30
    package static let connectTimeoutSeconds = 10

    package static func send(
        _ request: HTTPRequest, userAgent: String
    ) throws(CurlError) -> HTTPResponse {
        let easy = try EasyHandle()
        let answer = AnswerBox(limit: request.answerLimit)
        let fields = try TextList(request.fields.map(line))
        try configure(easy, request, userAgent: userAgent)
        try easy.set(CURLOPT_HTTPHEADER, UnsafeRawPointer(fields.handle))
        try easy.set(CURLOPT_POSTFIELDSIZE, request.body.count)
        try easy.set(CURLOPT_WRITEFUNCTION, sink: collectBody)
        try easy.set(CURLOPT_HEADERFUNCTION, sink: collectField)
        let context = Unmanaged.passUnretained(answer).toOpaque()
        try easy.set(CURLOPT_WRITEDATA, UnsafeRawPointer(context))
        try easy.set(CURLOPT_HEADERDATA, UnsafeRawPointer(context))
        try request.body.span.withUnsafeBytes { body throws(CurlError) in
            // An empty array may have no address, which libcurl would take for "read a file".
            try easy.set(CURLOPT_POSTFIELDS, body.baseAddress ?? UnsafeRawPointer(context))
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
        try easy.set(CURLOPT_TIMEOUT, timeoutSeconds)
        try easy.set(CURLOPT_CONNECTTIMEOUT, connectTimeoutSeconds)
        if let file = request.certificateFile { try easy.set(CURLOPT_CAINFO, file) }
        if let path = request.unixSocket {
            try easy.set(CURLOPT_UNIX_SOCKET_PATH, path)
            // None of the environment's proxies stands between.
            try easy.set(CURLOPT_PROXY, "")
        }
    }

    /// `Name;` is how libcurl wants a field without a value.
    private static func line(_ field: (name: String, value: String)) -> String {
        field.value.isEmpty ? field.name + ";" : field.name + ": " + field.value
    }
}

/// What the callbacks of one transfer gather; lives until that has ended.
private final class AnswerBox {
    var fields: [(name: String, value: String)] = []
    var body: [UInt8] = []
    let limit: Int

    init(limit: Int) { self.limit = limit }
}

private let collectBody: ccurl_sink = { bytes, size, count, context in
    guard let bytes, let context else { return 0 }
    let answer = Unmanaged<AnswerBox>.fromOpaque(context).takeUnretainedValue()
    let room = answer.limit - answer.body.count
    let chunk = UnsafeRawBufferPointer(start: bytes, count: size * count)
    answer.body.append(contentsOf: chunk.prefix(room))
    return size * count
}

private let collectField: ccurl_sink = { bytes, size, count, context in
    guard let bytes, let context else { return 0 }
    let answer = Unmanaged<AnswerBox>.fromOpaque(context).takeUnretainedValue()
    let line = String(
        decoding: UnsafeRawBufferPointer(start: bytes, count: size * count), as: UTF8.self)
    if line.hasPrefix("HTTP/") {
        // An interim answer such as 100 came before; only the last one counts.
        answer.fields.removeAll()
    } else if let colon = line.firstIndex(of: ":") {
        let value = line[line.index(after: colon)...]
        answer.fields.append((line[..<colon].lowercased(), trimmed(value)))
    }
    return size * count
}

private func trimmed(_ text: Substring) -> String {
    let start = text.drop { $0.isWhitespace }
    guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(start[...end])
}
