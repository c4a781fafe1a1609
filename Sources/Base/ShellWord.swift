/// Text as one word for a shell.
package enum ShellWord {
    package static func quoted(_ text: String) -> String {
        let isPlain = text.allSatisfy {
            $0.isASCII && ($0.isLetter || $0.isNumber || "/._-".contains($0))
        }
        guard !isPlain || text.isEmpty else { return text }
        let parts = text.split(separator: "'", omittingEmptySubsequences: false)
        return "'" + parts.joined(separator: "'\\''") + "'"
    }
}
