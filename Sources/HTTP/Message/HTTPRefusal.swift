/// Why a request is refused. Each case is one answer, after which the connection ends.
///
/// The raw value is the name in logs and metrics.
package enum HTTPRefusal: String, Error, Sendable, CaseIterable {
    case badRequestLine = "bad-request-line"
    case badTarget = "bad-target"
    case targetTooLong = "target-too-long"
    case methodTooLong = "method-too-long"
    case unsupportedVersion = "unsupported-version"
    case tunnel

    case bareLineFeed = "bare-line-feed"
    case bareCarriageReturn = "bare-carriage-return"
    case tooManyEmptyLines = "too-many-empty-lines"
    case foldedLine = "folded-line"
    case spaceBeforeColon = "space-before-colon"
    case badFieldName = "bad-field-name"
    case badFieldValue = "bad-field-value"
    case tooManyFields = "too-many-fields"
    case headTooLarge = "head-too-large"

    case missingHost = "missing-host"
    case repeatedHost = "repeated-host"
    case badHost = "bad-host"

    case badContentLength = "bad-content-length"
    case repeatedContentLength = "repeated-content-length"
    case lengthAndTransferEncoding = "length-and-transfer-encoding"
    case badTransferEncoding = "bad-transfer-encoding"
    case unsupportedTransferCoding = "unsupported-transfer-coding"
    case transferEncodingInHTTP10 = "transfer-encoding-in-http-1.0"
    case unsupportedExpectation = "unsupported-expectation"

    case bodyTooLarge = "body-too-large"
    case badChunkSize = "bad-chunk-size"
    case badChunkExtension = "bad-chunk-extension"
    case chunkExtensionsTooLong = "chunk-extensions-too-long"
    case missingChunkEnd = "missing-chunk-end"
    case trailersTooLarge = "trailers-too-large"

    // Detected by the server around the parser.
    case timeout
    case lengthRequired = "length-required"
    case methodNotAllowed = "method-not-allowed"
    case misdirected
    case upgradeRequired = "upgrade-required"
    case overloaded
    case badUpgrade = "bad-upgrade"
    /// The port expects TLS.
    case withoutTLS = "without-tls"

    package var status: Int {
        switch self {
        case .badRequestLine, .badTarget, .bareLineFeed, .bareCarriageReturn, .tooManyEmptyLines,
            .foldedLine, .spaceBeforeColon, .badFieldName, .badFieldValue, .missingHost,
            .repeatedHost, .badHost, .badContentLength, .repeatedContentLength,
            .lengthAndTransferEncoding, .badTransferEncoding, .transferEncodingInHTTP10,
            .badChunkSize, .badChunkExtension, .chunkExtensionsTooLong, .missingChunkEnd,
            .badUpgrade:
            400
        case .methodNotAllowed: 405
        case .timeout: 408
        case .lengthRequired: 411
        case .bodyTooLarge: 413
        case .targetTooLong: 414
        case .unsupportedExpectation: 417
        case .misdirected: 421
        case .upgradeRequired: 426
        case .tooManyFields, .headTooLarge, .trailersTooLarge: 431
        case .methodTooLong, .tunnel, .unsupportedTransferCoding: 501
        // A proxy may ask in this way for a while, and its senders must not forget anything for it.
        case .overloaded, .withoutTLS: 503
        case .unsupportedVersion: 505
        }
    }
}
