package import Base
import COpenSSL

/// Random bytes for keys, salts and secrets, from OpenSSL's seeded generator.
package enum Random {
    package static func bytes(count: Int) throws(OpenSSLError) -> [UInt8] {
        var result: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { output, initialized in
            result = RAND_bytes(output.baseAddress, Int32(count))
            initialized = count
        }
        try ensure(result, "RAND_bytes")
        return bytes
    }

    package static func secret(count: Int) throws(OpenSSLError) -> Secret {
        try Secret(count: count) { block throws(OpenSSLError) in
            try block.withUnsafeMutableBufferPointer { bytes throws(OpenSSLError) in
                try fill(bytes)
            }
        }
    }

    static func fill(_ bytes: UnsafeMutableBufferPointer<UInt8>) throws(OpenSSLError) {
        try ensure(RAND_bytes(bytes.baseAddress, Int32(bytes.count)), "RAND_bytes")
    }
}

/// Gives out small pieces of random bytes, which is much cheaper than a call of OpenSSL for each.
///
/// It fetches blocks from OpenSSL's generator, and overwrites used bytes.
package struct RandomSupply: ~Copyable {
    private static let blockLength = 4_096

    private let block: UnsafeMutableBufferPointer<UInt8>
    private var position = Self.blockLength

    package init() {
        block = .allocate(capacity: Self.blockLength)
        block.initialize(repeating: 0)
    }

    deinit {
        overwrite(block)
        block.deallocate()
    }

    package mutating func append(
        _ count: Int, to bytes: inout [UInt8]
    ) throws(OpenSSLError) {
        precondition(count <= Self.blockLength)
        if position + count > Self.blockLength { try refill() }
        let piece = UnsafeMutableBufferPointer(rebasing: block[position..<position + count])
        bytes.append(contentsOf: piece)
        piece.update(repeating: 0)
        position += count
    }

    package mutating func word() throws(OpenSSLError) -> UInt64 {
        if position + 8 > Self.blockLength { try refill() }
        defer { position += 8 }
        let place = UnsafeMutableRawPointer(block.baseAddress.map { $0 + position })
        guard let place else { preconditionFailure("the block has no address") }
        let word = place.loadUnaligned(as: UInt64.self)
        place.storeBytes(of: 0, as: UInt64.self)
        return word
    }

    private mutating func refill() throws(OpenSSLError) {
        try Random.fill(block)
        position = 0
    }
}
