import CCurl

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
