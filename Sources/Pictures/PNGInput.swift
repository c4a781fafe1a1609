import Base

/// The chunks of a PNG file.
struct PNGInput {
    struct Chunk {
        let type: String
        let data: ArraySlice<UInt8>
        /// An unknown optional chunk can be ignored.
        let isOptional: Bool
    }

    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    private let bytes: [UInt8]
    private var position = signature.count

    init(_ bytes: [UInt8]) throws(Picture.Refusal) {
        guard bytes.starts(with: Self.signature) else { throw .damaged }
        self.bytes = bytes
    }

    mutating func chunk() throws(Picture.Refusal) -> Chunk {
        let length = try word()
        guard length <= bytes.count - position - 8 else { throw .damaged }
        let end = position + 4 + length
        let checked = bytes[position..<end]
        let data = checked.dropFirst(4)
        position = end
        guard try word() == Int(CRC32.value(of: checked)) else { throw .damaged }
        return Chunk(
            type: String(decoding: checked.prefix(4), as: UTF8.self), data: data,
            isOptional: checked.first.map { $0 & 0x20 != 0 } ?? false)
    }

    private mutating func word() throws(Picture.Refusal) -> Int {
        guard bytes.count - position >= 4 else { throw .damaged }
        defer { position += 4 }
        return bytes[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
    }
}
