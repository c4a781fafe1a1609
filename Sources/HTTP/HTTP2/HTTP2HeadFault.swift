/// What is wrong with a header block.
enum HTTP2HeadFault: Error {
    /// Its stream is reset (RFC 9113 section 8.1.1).
    case malformed
    /// It is answered.
    case refused(HTTPRefusal)
}
