/// An ECDSA signature in OpenSSL's format: a DER sequence of two integers of at most 33 bytes.
struct DERSignature {
    private var bytes = InlineArray<72, UInt8>(repeating: 0)
    private var count = 2

    /// `raw` is r and s, 32 bytes each.
    init(_ raw: Span<UInt8>) {
        append(raw.extracting(0..<32))
        append(raw.extracting(32..<64))
        bytes[0] = 0x30
        bytes[1] = UInt8(count - 2)
    }

    /// Reads OpenSSL's DER; nil if it is not two integers of at most 32 bytes.
    static func raw(_ der: Span<UInt8>) -> [UInt8]? {
        var raw: [UInt8] = []
        var position = 2
        while position + 2 <= der.count, raw.count < 64 {
            let length = Int(der[position + 1])
            var start = position + 2
            let end = start + length
            guard der[position] == 0x02, end <= der.count else { return nil }
            while start < end, der[start] == 0 { start += 1 }
            guard end - start <= 32 else { return nil }
            raw += repeatElement(0, count: 32 - (end - start))
            for index in start..<end { raw.append(der[index]) }
            position = end
        }
        return raw.count == 64 && position == der.count ? raw : nil
    }

    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        bytes.span.extracting(0..<count).withUnsafeBufferPointer(body)
    }

    /// Appends the number in its shortest form that is not negative.
    private mutating func append(_ number: Span<UInt8>) {
        var start = 0
        while start < number.count - 1, number[start] == 0 { start += 1 }
        let needsZero = number[start] >= 0x80
        bytes[count] = 0x02
        bytes[count + 1] = UInt8(number.count - start + (needsZero ? 1 : 0))
        count += 2
        if needsZero { count += 1 }
        for index in start..<number.count {
            bytes[count] = number[index]
            count += 1
        }
    }
}
