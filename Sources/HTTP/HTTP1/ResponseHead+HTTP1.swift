import Base

extension ResponseHead {
    /// The answer to the event `continueExpected`.
    package static let http1Continue: StaticString = "HTTP/1.1 100 Continue\r\n\r\n"

    /// Writes the head in HTTP/1.1 format, with its empty line.
    ///
    /// The caller formats `date` once per second; empty leaves the field out.
    package func appendHTTP1(
        to output: inout [UInt8], contentLength: Int, _ persistence: HTTP1Persistence,
        date: [UInt8] = []
    ) {
        output.append(contentsOf: "HTTP/1.1 ")
        output.append(decimal: status)
        output.append(UInt8(ascii: " "))
        output.append(contentsOf: Self.reasonPhrase(of: status))
        output.append(contentsOf: "\r\n")
        output.append(contentsOf: fields.text)
        if !date.isEmpty {
            output.append(contentsOf: "Date: ")
            output.append(contentsOf: date)
            output.append(contentsOf: "\r\n")
        }
        // RFC 9110 section 8.6: these have no body and must not have a length.
        if status >= 200, status != 204 {
            output.append(contentsOf: "Content-Length: ")
            output.append(decimal: contentLength)
            output.append(contentsOf: "\r\n")
        }
        switch persistence {
        case .implied: break
        case .keepAlive: output.append(contentsOf: "Connection: keep-alive\r\n")
        case .close: output.append(contentsOf: "Connection: close\r\n")
        }
        output.append(contentsOf: "\r\n")
    }

    /// The phrase is never empty, because some clients take an empty one for a broken answer.
    package static func reasonPhrase(of status: Int) -> StaticString {
        switch status {
        case 101: "Switching Protocols"
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 301: "Moved Permanently"
        case 303: "See Other"
        case 304: "Not Modified"
        case 307: "Temporary Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 411: "Length Required"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 417: "Expectation Failed"
        case 421: "Misdirected Request"
        case 426: "Upgrade Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        default: "Status"
        }
    }
}
