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

/// The content of a certificate (RFC 5280 section 4.1) before it is signed.
struct CertificateTemplate {
    /// Attribute names, such as CN, with their values.
    var subject: [(name: String, value: String)]
    /// Seconds since 1970.
    var validity: ClosedRange<Int>
    /// Extensions in the notation of OpenSSL's configuration files.
    var extensions: [(id: Int32, value: String)]

    /// A certificate for `key`, signed by `issuer`.
    func sign(
        for key: borrowing KeyPair, by issuer: borrowing CertificateAuthority
    ) throws(TLSError) -> Certificate {
        try sign(key, issuer: issuer.certificate.handle, issuer.key.handle)
    }

    func selfSign(with key: borrowing KeyPair) throws(TLSError) -> Certificate {
        try sign(key, issuer: nil, key.handle)
    }

    private func sign(
        _ key: borrowing KeyPair, issuer: OpaquePointer?, _ issuerKey: OpaquePointer
    ) throws(TLSError) -> Certificate {
        let certificate = try Certificate()
        let handle = certificate.handle
        try require(X509_set_version(handle, Int(X509_VERSION_3)), "X509_set_version")
        try setSerial(handle)
        try setSubject(handle)
        let issuerName = X509_get_subject_name(issuer ?? handle)
        try require(X509_set_issuer_name(handle, issuerName), "X509_set_issuer_name")
        guard ASN1_TIME_set(X509_getm_notBefore(handle), validity.lowerBound) != nil,
            ASN1_TIME_set(X509_getm_notAfter(handle), validity.upperBound) != nil
        else { throw TLSError("ASN1_TIME_set") }
        try require(X509_set_pubkey(handle, key.handle), "X509_set_pubkey")
        try addExtensions(handle, issuer: issuer ?? handle)
        // Returns the length of the signature, or 0.
        guard X509_sign(handle, issuerKey, EVP_sha256()) > 0 else { throw TLSError("X509_sign") }
        return certificate
    }

    /// 126 random bits: positive and practically unique.
    private func setSerial(_ certificate: OpaquePointer) throws(TLSError) {
        let number = try require(BN_new(), "BN_new")
        defer { BN_free(number) }
        try require(BN_rand(number, 126, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY), "BN_rand")
        guard BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil else {
            throw TLSError("BN_to_ASN1_INTEGER")
        }
    }

    private func setSubject(_ certificate: OpaquePointer) throws(TLSError) {
        let name = X509_get_subject_name(certificate)
        for (attribute, value) in subject {
            try require(
                X509_NAME_add_entry_by_txt(
                    name, attribute, MBSTRING_UTF8, value, Int32(value.utf8.count), -1, 0),
                "X509_NAME_add_entry_by_txt")
        }
    }

    private func addExtensions(
        _ certificate: OpaquePointer, issuer: OpaquePointer
    ) throws(TLSError) {
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, issuer, certificate, nil, nil, 0)
        for (id, value) in extensions {
            let item = try require(
                X509V3_EXT_nconf_nid(nil, &context, id, value), "X509V3_EXT_nconf_nid")
            defer { X509_EXTENSION_free(item) }
            try require(X509_add_ext(certificate, item, -1), "X509_add_ext")
        }
    }
}
