import CNghttp2

/// The fields of an answer in the form that nghttp2 takes; it copies them, names in lower case.
struct HTTP2FieldList {
    private let head: ResponseHead
    private let date: [UInt8]
    /// Status and length in decimal digits.
    private var numbers: [UInt8] = []
    private let statusCount: Int

    /// `length` nil and `date` empty leave their fields out.
    init(_ head: ResponseHead, length: Int? = nil, date: [UInt8] = []) {
        self.head = head
        self.date = date
        numbers.reserveCapacity(24)
        numbers.append(decimal: head.status)
        statusCount = numbers.count
        if let length { numbers.append(decimal: length) }
    }

    /// The list lives as long as the call of `body`.
    func withFields<Result>(_ body: (UnsafeBufferPointer<nghttp2_nv>) -> Result) -> Result {
        head.fields.bytes.withUnsafeBufferPointer { bytes in
            numbers.withUnsafeBufferPointer { numbers in
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
        add(Self.bytes(":status"), numbers[..<statusCount])
        for index in 0..<head.fields.count {
            add(bytes[head.fields.name(at: index)], bytes[head.fields.value(at: index)])
        }
        if !date.isEmpty { add(Self.bytes("date"), date[...]) }
        if numbers.count > statusCount {
            add(Self.bytes("content-length"), numbers[statusCount...])
        }
        return count
    }

    private static func bytes(_ text: StaticString) -> Slice<UnsafeBufferPointer<UInt8>> {
        UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)[...]
    }

    /// nghttp2 writes to neither, though it asks for mutable pointers.
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
