import Base
import Crypto
import TestSupport
import WebPush

@testable import Mailbox
@testable import PushService

extension PushFixture {
    /// Adds a device credential, and returns its secret in the form that paths contain.
    func addCredential(owner: String = "tester") throws -> String {
        let secret = try Random.bytes(count: DeviceCredential.secretLength)
        var hash = try SHA256()
        let row = store.index.nextCredential()
        let credential = DeviceCredential(
            row: row, secret: Digest(try hash.digest(of: secret.span)), name: "test \(row)",
            owner: owner, created: 1)
        run(.addCredential(credential))
        return Base64URL.text(secret.span)
    }

    /// Revokes the newest credential, as the control socket does.
    func removeCredential() {
        run(.removeCredential(store.index.counters.credential))
    }

    func confirmCredential(_ row: UInt32) { run(.confirmCredential(row)) }

    func removeOwner(_ row: UInt32) {
        run(.removeOwner(row))
    }

    /// Makes the callback of the newest registration answer 410.
    func endCallback() throws {
        let device = store.index.counters.device
        run(.callback(.record(AttemptRecord(callback: device, position: 0, result: .gone))))
    }

    private func run(_ operation: StoreOperation) {
        let sink = OneAnswer()
        store.submit(operation, ticket: 0, to: sink)
        sink.wait()
    }
}
