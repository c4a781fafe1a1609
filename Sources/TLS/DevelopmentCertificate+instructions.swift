import Base

extension DevelopmentCertificate {
    /// How to make programs trust it, for a person to read; `url` is one that the server answers.
    package func instructions(for url: String) -> String {
        let path = Self.quoted(Printable.text(authorityPath))
        return """
            to trust this server's development certificate (Debian, Ubuntu):
              sudo cp \(path) /usr/local/share/ca-certificates/bellwire-development.crt
              sudo update-ca-certificates
            Firefox has a store of its own: Settings, search for "Manage certificates", Authorities, \
            Import
            for a single request: curl --cacert \(path) \(url)
            """
    }

    /// One word for a shell, whatever is in it.
    private static func quoted(_ text: String) -> String {
        let isPlain = text.allSatisfy {
            $0.isASCII && ($0.isLetter || $0.isNumber || "/._-".contains($0))
        }
        return isPlain
            ? text
            : "'"
                + text.split(separator: "'", omittingEmptySubsequences: false).joined(
                    separator: "'\\''") + "'"
    }
}
