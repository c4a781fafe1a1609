/// A number of bytes as people read it.
package enum ByteCount {
    package static func text(_ bytes: Int) -> String {
        var (unit, size) = (0, 1)
        while unit < 3, bytes >= size << 10 { (unit, size) = (unit + 1, size << 10) }
        let name = ["B", "KiB", "MiB", "GiB"][unit]
        let tenths = Int((Double(bytes) / Double(size) * 10).rounded())
        // With one digit after the point, if it is not zero.
        let digit = tenths % 10 == 0 ? "" : ".\(tenths % 10)"
        return "\(tenths / 10)\(digit) \(name)"
    }
}
