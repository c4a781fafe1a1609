package import Base

/// An answer that is given again when the same request comes again.
package struct KeptAnswer: Sendable, Confidential {
    package static let lifetime: UInt32 = 24 * 3_600

    /// Of owner and key; of the body.
    let request: Digest
    let body: Digest
    let answer: [UInt8]

    package init(request: Digest, body: Digest, answer: [UInt8]) {
        self.request = request
        self.body = body
        self.answer = answer
    }
}
