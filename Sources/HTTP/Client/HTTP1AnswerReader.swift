import Base

/// Reads the head of an answer (RFC 9112 section 4), as strictly as requests are read.
struct HTTP1AnswerReader {
    struct Answer {
        let status: Int
        let isHTTP11: Bool
        let fields: HTTPFields
        /// The bytes after the head.
        let rest: [UInt8]

        /// The value of Retry-After in seconds; a date is ignored.
        var retryAfter: Int? {
            fields.firstValue(of: "Retry-After")
                .flatMap { Int(decimalDigits: Array(fields.bytes[$0]).span) }
        }
    }

    enum Broken: Error { case tooLong, malformed }

    private static let limit = 16 * 1024
    private static let fieldLimit = 100
    /// Interim answers to accept before the final one.
    private static let interimLimit = 8
    private var bytes: [UInt8] = []
    private var interimCount = 0

    /// Nil until the head is complete.
    mutating func read(_ input: Span<UInt8>) throws(Broken) -> Answer? {
        bytes.append(contentsOf: input)
        // The head can end only at a line feed, and is read again from its start.
        guard input.firstIndex(of: .lineFeed) != nil else {
            guard bytes.count < Self.limit else { throw .tooLong }
            return nil
        }
        while true {
            guard let answer = try whole() else {
                guard bytes.count < Self.limit else { throw .tooLong }
                return nil
            }
            // An interim answer, such as "100 Continue".
            guard answer.status < 200, answer.status != 101 else { return answer }
            interimCount += 1
            guard interimCount <= Self.interimLimit else { throw .tooLong }
            bytes = answer.rest
        }
    }

    private func whole() throws(Broken) -> Answer? {
        do throws(HTTPRefusal) {
            return try parse()
        } catch {
            throw .malformed
        }
    }

    private func parse() throws(HTTPRefusal) -> Answer? {
        let source = bytes.span
        guard let lineFeed = source.firstIndex(of: .lineFeed) else { return nil }
        let (status, isHTTP11) = try Self.statusLine(source.extracting(0..<lineFeed + 1))
        var fields = HTTPFields()
        var position = lineFeed + 1
        while position < source.count {
            if source[position] == .carriageReturn {
                guard
                    let end = try HTTP1FieldLine.endOfLine(
                        source, at: position, else: .badFieldName)
                else { return nil }
                fields.bytes = bytes
                return Answer(
                    status: status, isHTTP11: isHTTP11, fields: fields,
                    rest: source.array(end..<source.count))
            }
            guard let line = try HTTP1FieldLine(source, at: position) else { return nil }
            guard fields.count < Self.fieldLimit else { throw .tooManyFields }
            fields.addLine(name: line.name, value: line.value)
            position = line.end
        }
        return nil
    }

    /// `HTTP-version SP 3DIGIT [SP reason] CRLF`
    private static func statusLine(
        _ line: Span<UInt8>
    ) throws(HTTPRefusal) -> (status: Int, isHTTP11: Bool) {
        guard line.count >= 14, line.extracting(0..<7).elementsEqual("HTTP/1."), line[7].isDigit,
            line[8] == UInt8(ascii: " "),
            let status = Int(decimalDigits: line.extracting(9..<12)), status >= 100,
            line[12] == UInt8(ascii: " ") || line.count == 14,
            line[line.count - 2] == .carriageReturn
        else { throw .badRequestLine }
        return (status, line[7] != UInt8(ascii: "0"))
    }
}
