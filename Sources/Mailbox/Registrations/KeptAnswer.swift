package import Base

/// An answer that is repeated when the same request arrives again.
package struct KeptAnswer: Sendable, Confidential {
    package static let lifetime: UInt32 = 24 * 3_600

    /// `request` is the hash of owner and key.
    let request: Digest
    let body: Digest
    let answer: [UInt8]

    package init(request: Digest, body: Digest, answer: [UInt8]) {
        self.request = request
        self.body = body
        self.answer = answer
    }
}
