extension [UInt8] {
    /// The highest byte first, as everything on the wire and on the disk stands.
    package mutating func append<Number: FixedWidthInteger>(bigEndian number: Number) {
        var number = number.bigEndian
        Swift.withUnsafeBytes(of: &number) { append(contentsOf: $0) }
    }
}

extension Span<UInt8> {
    /// The number at `start`, its highest byte first.
    package func bigEndian<Number: FixedWidthInteger>(
        at start: Int, as type: Number.Type = Number.self
    ) -> Number {
        let size = MemoryLayout<Number>.size
        precondition(start >= 0 && start <= count - size, "a number beyond the end")
        return withUnsafeBytes { bytes in
            Number(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: Number.self))
        }
    }
}
