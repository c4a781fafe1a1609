import Base
package import HTTP

extension RequestHead {
    /// The range of the secret in `Authorization: Bearer …` (RFC 6750 section 2.1).
    package var bearer: Range<Int>? {
        guard let field = fields.firstValue(of: "authorization") else { return nil }
        let held = bytes
        let start = field.lowerBound + "bearer ".utf8.count
        guard start < field.upperBound,
            held.span.extracting(field.lowerBound..<start).equalsIgnoringCase("bearer ")
        else { return nil }
        return start..<field.upperBound
    }
}
