import Base

/// The rules of RFC 9113 section 8.2 for fields that are not pseudo-header fields.
enum HTTP2Field {
    static func check(_ name: Span<UInt8>, _ value: Span<UInt8>) throws(HTTP2HeadFault) {
        try checkName(name)
        guard isValid(value) else { throw .refused(.badFieldValue) }
        // Section 8.2.2.
        let isOfConnection =
            switch name.count {
            case 2: name.elementsEqual("te") && !value.equalsIgnoringCase("trailers")
            case 7: name.elementsEqual("upgrade")
            case 10: name.elementsEqual("connection") || name.elementsEqual("keep-alive")
            case 16: name.elementsEqual("proxy-connection")
            case 17: name.elementsEqual("transfer-encoding")
            default: false
            }
        if isOfConnection { throw .malformed }
    }

    /// A token without upper case.
    private static func checkName(_ name: Span<UInt8>) throws(HTTP2HeadFault) {
        guard !name.isEmpty else { throw .malformed }
        for index in name.indices where !name[index].isLowerTokenCharacter {
            // A pseudo-header field among trailers, or a name that only HTTP/1.1 allows.
            let isForm = name[index].isTokenCharacter || name[index] == UInt8(ascii: ":")
            if isForm { throw .malformed }
            throw .refused(.badFieldName)
        }
    }

    /// Section 8.2.1: no control characters, and no white space at either end.
    private static func isValid(_ value: Span<UInt8>) -> Bool {
        guard !value.isEmpty else { return true }
        return !value[0].isBlank && !value[value.count - 1].isBlank
            && value.endOfFieldValue(from: 0) == value.count
    }
}

extension UInt8 {
    /// Tests letters and hyphens first: most names have nothing else.
    fileprivate var isLowerTokenCharacter: Bool {
        self &- UInt8(ascii: "a") < 26 || self == UInt8(ascii: "-")
            || isIn(0x03FF_6CFA_0000_0000, 0x57FF_FFFF_C000_0000)
    }
}

/// What is wrong with a header block.
enum HTTP2HeadFault: Error {
    /// Its stream is reset (RFC 9113 section 8.1.1).
    case malformed
    /// It is answered.
    case refused(HTTPRefusal)
}
