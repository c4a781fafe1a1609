/// The standard library's own searches bring its regular expressions with them, which would make
/// the program a tenth larger.
extension StringProtocol {
    /// The first place of these bytes.
    package func place(of text: String) -> Range<Index>? {
        var rest = utf8[...]
        while !rest.starts(with: text.utf8) {
            guard !rest.isEmpty else { return nil }
            rest = rest.dropFirst()
        }
        return rest.startIndex..<rest.index(rest.startIndex, offsetBy: text.utf8.count)
    }

    package func replacing(each scalar: Unicode.Scalar, by text: String) -> String {
        var result = ""
        for next in unicodeScalars {
            if next == scalar {
                result += text
            } else {
                result.unicodeScalars.append(next)
            }
        }
        return result
    }
}
