/// SHA-1 (FIPS 180-4 section 6.1), only where a protocol requires it and no security depends on it:
/// the answer to a WebSocket key, and the id of a Telegram secret.
package enum SHA1 {
    package static func digest(of bytes: Span<UInt8>) -> [UInt8] {
        var state: [5 of UInt32] = [
            0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0,
        ]
        var words = [80 of UInt32](repeating: 0)
        // A mark and the length, of eight bytes, follow the message.
        let end = (bytes.count + 9 + 63) / 64 * 64
        for start in stride(from: 0, to: end, by: 64) {
            for index in 0..<64 {
                words[index / 4] = words[index / 4] << 8 | byte(start + index, of: bytes, end)
            }
            mix(&words, into: &state)
        }
        var span = words.mutableSpan
        span.withUnsafeMutableBytes { overwrite($0.bindMemory(to: UInt8.self)) }
        var digest: [UInt8] = []
        for index in state.indices { digest.append(bigEndian: state[index]) }
        return digest
    }

    /// A byte of the padded message (section 5.1.1).
    private static func byte(_ index: Int, of bytes: Span<UInt8>, _ end: Int) -> UInt32 {
        if index < bytes.count { return UInt32(bytes[index]) }
        if index == bytes.count { return 0x80 }
        let shift = 8 * (end - 1 - index)
        return shift < 64 ? UInt32(truncatingIfNeeded: (bytes.count * 8) >> shift) & 0xFF : 0
    }

    private static func mix(_ words: inout [80 of UInt32], into state: inout [5 of UInt32]) {
        for index in 16..<80 {
            let word = words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16]
            words[index] = rotated(word, 1)
        }
        var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
        for index in 0..<80 {
            let (mixed, constant): (UInt32, UInt32) =
                switch index / 20 {
                case 0: (b & c | ~b & d, 0x5A82_7999)
                case 1: (b ^ c ^ d, 0x6ED9_EBA1)
                case 2: (b & c | b & d | c & d, 0x8F1B_BCDC)
                default: (b ^ c ^ d, 0xCA62_C1D6)
                }
            let next = rotated(a, 5) &+ mixed &+ e &+ constant &+ words[index]
            (a, b, c, d, e) = (next, a, rotated(b, 30), c, d)
        }
        state[0] &+= a
        state[1] &+= b
        state[2] &+= c
        state[3] &+= d
        state[4] &+= e
    }

    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
        word << count | word >> (32 - count)
    }
}
