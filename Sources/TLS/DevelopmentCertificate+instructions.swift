import Base

extension DevelopmentCertificate {
    /// Tells a person how to make programs trust the certificate; `url` is one of the server's.
    package func instructions(for url: String) -> String {
        let path = Self.quoted(Printable.text(authorityPath))
        return """
            to trust this server's development certificate (Debian, Ubuntu):
              sudo cp \(path) /usr/local/share/ca-certificates/bellwire-development.crt
              sudo update-ca-certificates
            Firefox has a store of its own: Settings, search for "Manage certificates", Authorities, \
            Import
            for one call: curl --cacert \(path) \(url)
            """
    }

    /// Quotes text as one word for a shell.
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
