import Base
import CNghttp2

/// The rules of RFC 9113 section 8.2 for fields that are not pseudo-header fields.
enum HTTP2Field {
    static func check(_ name: Span<UInt8>, _ value: Span<UInt8>) throws(HTTP2HeadFault) {
        try checkName(name)
        guard isValid(value) else { throw .refused(.badFieldValue) }
        // Section 8.2.2.
        let isOfConnection =
            switch name.count {
            case 2: name.elementsEqual("te") && !value.equalsIgnoringCase("trailers")
            case 7: name.elementsEqual("upgrade")
            case 10: name.elementsEqual("connection") || name.elementsEqual("keep-alive")
            case 16: name.elementsEqual("proxy-connection")
            case 17: name.elementsEqual("transfer-encoding")
            default: false
            }
        if isOfConnection { throw .malformed }
    }

    /// A token without upper case.
    private static func checkName(_ name: Span<UInt8>) throws(HTTP2HeadFault) {
        guard !name.isEmpty else { throw .malformed }
        for index in name.indices where !name[index].isLowerTokenCharacter {
            // A pseudo-header field among trailers, or a name that only HTTP/1.1 allows.
            let isForm = name[index].isTokenCharacter || name[index] == UInt8(ascii: ":")
            if isForm { throw .malformed }
            throw .refused(.badFieldName)
        }
    }

    /// Section 8.2.1: no control characters, and no white space at either end.
    private static func isValid(_ value: Span<UInt8>) -> Bool {
        guard !value.isEmpty else { return true }
        return !value[0].isBlank && !value[value.count - 1].isBlank
            && value.endOfFieldValue(from: 0) == value.count
    }
}

extension UInt8 {
    /// Tests letters and hyphens first: most names have nothing else.
    fileprivate var isLowerTokenCharacter: Bool {
        self &- UInt8(ascii: "a") < 26 || self == UInt8(ascii: "-")
            || isIn(0x03FF_6CFA_0000_0000, 0x57FF_FFFF_C000_0000)
    }
}

/// What is wrong with a header block.
enum HTTP2HeadFault: Error {
    /// Its stream is reset (RFC 9113 section 8.1.1).
    case malformed
    /// It is answered.
    case refused(HTTPRefusal)
}

/// The fields of an answer in nghttp2's format. nghttp2 copies them and lowers the names.
struct HTTP2FieldList {
    private let head: ResponseHead
    private let date: [UInt8]
    /// Status and length in decimal digits, each at the end of its half.
    private var numbers = InlineArray<48, UInt8>(repeating: 0)
    private let statusStart: Int
    private let lengthStart: Int?

    /// A `length` of nil or an empty `date` leaves that field out.
    init(_ head: ResponseHead, length: Int? = nil, date: [UInt8] = []) {
        self.head = head
        self.date = date
        statusStart = Self.write(head.status, endingAt: 24, &numbers)
        if let length {
            lengthStart = Self.write(length, endingAt: 48, &numbers)
        } else {
            lengthStart = nil
        }
    }

    /// Returns the position of the first digit.
    private static func write(
        _ number: Int, endingAt end: Int, _ numbers: inout InlineArray<48, UInt8>
    ) -> Int {
        precondition(number >= 0, "the status or the length is below zero")
        var start = end
        var rest = number
        repeat {
            start -= 1
            numbers[start] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        } while rest > 0
        return start
    }

    /// The list is valid during the call of `body`.
    func withFields<Result>(_ body: (UnsafeBufferPointer<nghttp2_nv>) -> Result) -> Result {
        head.fields.text.withUnsafeBufferPointer { bytes in
            numbers.span.withUnsafeBufferPointer { numbers in
                date.withUnsafeBufferPointer { date in
                    withUnsafeTemporaryAllocation(
                        of: nghttp2_nv.self, capacity: head.fields.count + 3
                    ) { list in
                        let count = fill(list, bytes, numbers, date)
                        return body(UnsafeBufferPointer(rebasing: list[..<count]))
                    }
                }
            }
        }
    }

    private func fill(
        _ list: UnsafeMutableBufferPointer<nghttp2_nv>, _ bytes: UnsafeBufferPointer<UInt8>,
        _ numbers: UnsafeBufferPointer<UInt8>, _ date: UnsafeBufferPointer<UInt8>
    ) -> Int {
        var count = 0
        func add(
            _ name: Slice<UnsafeBufferPointer<UInt8>>, _ value: Slice<UnsafeBufferPointer<UInt8>>
        ) {
            list.initializeElement(at: count, to: Self.field(name, value))
            count += 1
        }
        add(Self.bytes(":status"), numbers[statusStart..<24])
        for index in 0..<head.fields.count {
            add(bytes[head.fields.name(at: index)], bytes[head.fields.value(at: index)])
        }
        if !date.isEmpty { add(Self.bytes("date"), date[...]) }
        if let lengthStart { add(Self.bytes("content-length"), numbers[lengthStart...]) }
        return count
    }

    private static func bytes(_ text: StaticString) -> Slice<UnsafeBufferPointer<UInt8>> {
        UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)[...]
    }

    /// nghttp2 takes mutable pointers to the name and the value, but writes to neither.
    private static func field(
        _ name: Slice<UnsafeBufferPointer<UInt8>>, _ value: Slice<UnsafeBufferPointer<UInt8>>
    ) -> nghttp2_nv {
        nghttp2_nv(
            name: UnsafeMutablePointer(mutating: UnsafeBufferPointer(rebasing: name).baseAddress),
            value: UnsafeMutablePointer(mutating: UnsafeBufferPointer(rebasing: value).baseAddress),
            namelen: name.count, valuelen: value.count,
            flags: UInt8(NGHTTP2_NV_FLAG_NONE.rawValue))
    }
}
