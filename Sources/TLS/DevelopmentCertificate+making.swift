import COpenSSL
import System

extension DevelopmentCertificate {
    static func make(
        hostName: String?, now: Int
    ) throws(TLSError) -> (authority: [UInt8], server: [UInt8]) {
        let start = now - backdating
        let validity = start...start + lifetime
        let authority = try CertificateAuthority(hostName: hostName, validity: validity)
        var names = ["DNS:localhost", "IP:127.0.0.1", "IP:::1"]
        if let hostName { names.append("DNS:\(hostName)") }
        let key = try KeyPair.generate()
        let certificate = try authority.issue(names, for: key, validity: validity)
        return (try authority.certificate.pem(), try certificate.pem() + key.pem())
    }

    /// Whether the files of an earlier start are complete, belong together, and are valid long
    /// enough.
    static func isUsable(
        _ authorityPath: String, _ path: String, now: Int
    ) throws(Failure) -> Bool {
        let authority: [UInt8]
        let server: [UInt8]
        do throws(KeyFile.Failure) {
            server = try KeyFile.read(path)
        } catch {
            if case .system(_, let cause) = error, cause.isMissingFile { return false }
            throw .unreadable(error)
        }
        do throws(TextFile.Failure) {
            authority = try TextFile.read(authorityPath)
        } catch {
            return false
        }
        do throws(TLSError) {
            return try isUsable(authority, server, now: now)
        } catch {
            // The files are damaged or foreign, so they are replaced.
            return false
        }
    }

    private static func isUsable(
        _ authority: [UInt8], _ server: [UInt8], now: Int
    ) throws(TLSError) -> Bool {
        var authorities = try PEMReader(authority)
        var certificates = try PEMReader(server)
        var keys = try PEMReader(server)
        guard let issuer = try authorities.certificate(),
            let leaf = try certificates.certificate(), let key = try keys.keyPair()
        else { return false }
        defer { ERR_clear_error() }
        let isSigned = X509_verify(leaf.handle, X509_get0_pubkey(issuer.handle)) == 1
        guard isSigned, leaf.belongs(to: key) else { return false }
        let moments = [now, now + reserve].map(Double.init)
        return moments.allSatisfy { moment in
            CertificateValidity(of: leaf.handle, at: moment) == .current
        }
    }
}
