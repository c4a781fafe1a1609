// These functions read and write numbers with the highest byte first, as everything is sent and
// stored. They are not generic, because other modules would look up the type at every call.

extension [UInt8] {
    package mutating func append(bigEndian number: UInt64) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }

    package mutating func append(bigEndian number: UInt32) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }
}

extension Span<UInt8> {
    package func word(at start: Int) -> UInt64 {
        precondition(start >= 0 && start <= count - 8, "the number lies beyond the end")
        return withUnsafeBytes { bytes in
            UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
        }
    }

    package func halfWord(at start: Int) -> UInt32 {
        precondition(start >= 0 && start <= count - 4, "the number lies beyond the end")
        return withUnsafeBytes { bytes in
            UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self))
        }
    }
}
