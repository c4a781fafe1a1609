import Glibc

/// The standard streams, in the form that a driving script uses.
enum StandardInput {
    /// The next input, or nil at the end of the stream.
    static func readInput() -> [UInt8]? {
        guard let prefix = read(4) else { return nil }
        return read(prefix.reduce(0) { $0 << 8 | Int($1) })
    }

    private static func read(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var position = 0
        while position < count {
            let result = bytes.withUnsafeMutableBytes { buffer in
                Glibc.read(0, buffer.baseAddress.map { $0 + position }, count - position)
            }
            guard result > 0 else { return nil }
            position += result
        }
        return bytes
    }

    static func write(_ line: [UInt8]) {
        var position = 0
        while position < line.count {
            let result = line.withUnsafeBytes { buffer in
                Glibc.write(1, buffer.baseAddress.map { $0 + position }, line.count - position)
            }
            guard result > 0 else { return }
            position += result
        }
    }
}
