import COpenSSL

package enum OpenSSLLibrary {
    /// As the library names itself, for a report of what is installed.
    package static var version: String { String(cString: OpenSSL_version(OPENSSL_VERSION)) }
}
