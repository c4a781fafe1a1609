import Base
import Crypto
import TestSupport

@testable import Mailbox

extension PushFixture {
    /// A device credential that the service knows from now on: its secret, as paths have it.
    func addCredential() throws -> String {
        let secret = try Random.bytes(count: Credential.secretLength)
        var hash = try SHA256()
        let credential = Credential(
            row: store.index.nextCredential(), secret: Digest(try hash.digest(of: secret.span)),
            name: "test", owner: "tester", created: 1)
        let sink = OneAnswer()
        store.submit(.addCredential(credential), ticket: 0, to: sink)
        sink.wait()
        return Base64URL.text(secret.span)
    }
}
