import COpenSSL

package enum OpenSSLLibrary {
    /// The version of OpenSSL, as OpenSSL reports it.
    package static var version: String { String(cString: OpenSSL_version(OPENSSL_VERSION)) }
}
