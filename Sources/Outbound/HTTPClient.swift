import CCurl

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
        try easy.set(CURLOPT_TIMEOUT, timeoutSeconds)
        try easy.set(CURLOPT_CONNECTTIMEOUT, connectTimeoutSeconds)
        if let file = request.certificateFile { try easy.set(CURLOPT_CAINFO, file) }
        if let path = request.unixSocket {
            try easy.set(CURLOPT_UNIX_SOCKET_PATH, path)
            // This uses no proxy, not even one of the environment.
            try easy.set(CURLOPT_PROXY, "")
        }
    }
}
