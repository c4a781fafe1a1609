/// Reed-Solomon codes over the field of 256 elements that QR codes use (polynomial 0x11D).
struct ReedSolomonCode {
    /// Coefficients of the generator without the leading one, the highest power first.
    private let generator: [UInt8]

    /// A code with `count` correction codewords.
    init(_ count: Int) {
        var generator = [UInt8](repeating: 0, count: count - 1) + [1]
        var root: UInt8 = 1
        for _ in 0..<count {
            // Multiplies by (x - root).
            for index in generator.indices {
                generator[index] = Self.product(generator[index], root)
                if index + 1 < count { generator[index] ^= generator[index + 1] }
            }
            root = Self.product(root, 2)
        }
        self.generator = generator
    }

    /// The remainder of `data` after division by the generator.
    func correction(of data: ArraySlice<UInt8>) -> [UInt8] {
        var rest = [UInt8](repeating: 0, count: generator.count)
        for byte in data {
            let factor = byte ^ rest.removeFirst()
            rest.append(0)
            for index in rest.indices { rest[index] ^= Self.product(generator[index], factor) }
        }
        return rest
    }

    private static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
        var product: UInt8 = 0
        for bit in (0..<8).reversed() {
            let carry = product >> 7
            product = product << 1 ^ (carry == 1 ? 0x1D : 0)
            if right >> bit & 1 == 1 { product ^= left }
        }
        return product
    }
}
