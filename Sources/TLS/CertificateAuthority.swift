import COpenSSL

/// A certificate authority for the names of this machine. Its key is never written to disk and is
/// overwritten when the value goes out of scope.
struct CertificateAuthority: ~Copyable {
    let certificate: Certificate
    let key: KeyPair
}

extension CertificateAuthority {
    /// Name constraints limit it to localhost, the loopback addresses and `hostName` (RFC 5280
    /// section 4.2.1.10), so trusting it means trusting nothing else.
    init(hostName: String?, validity: ClosedRange<Int>) throws(TLSError) {
        var permitted = ["DNS:localhost", "IP:127.0.0.0/255.0.0.0"]
        permitted.append("IP:::1/FFFF:FFFF:FFFF:FFFF:FFFF:FFFF:FFFF:FFFF")
        if let hostName { permitted.append("DNS:\(hostName)") }
        let constraints = permitted.map { "permitted;\($0)" }.joined(separator: ",")
        let key = try KeyPair.generate()
        let template = CertificateTemplate(
            subject: [
                ("O", "Bellwire"), ("OU", hostName ?? "localhost"),
                ("CN", "Bellwire development CA"),
            ],
            validity: validity,
            extensions: [
                (NID_basic_constraints, "critical,CA:TRUE,pathlen:0"),
                (NID_key_usage, "critical,keyCertSign"),
                (NID_name_constraints, "critical,\(constraints)"),
                (NID_subject_key_identifier, "hash"),
            ])
        self.init(certificate: try template.selfSign(with: key), key: key)
    }

    /// A server certificate for `names`, each as "DNS:…" or "IP:…".
    func issue(
        _ names: [String], for key: borrowing KeyPair, validity: ClosedRange<Int>
    ) throws(TLSError) -> Certificate {
        try CertificateTemplate(
            subject: [("CN", "Bellwire development")],
            validity: validity,
            extensions: [
                (NID_basic_constraints, "critical,CA:FALSE"),
                (NID_key_usage, "critical,digitalSignature"),
                (NID_ext_key_usage, "serverAuth"),
                (NID_subject_alt_name, names.joined(separator: ",")),
                (NID_subject_key_identifier, "hash"),
                (NID_authority_key_identifier, "keyid:always"),
            ]
        ).sign(for: key, by: self)
    }
}
