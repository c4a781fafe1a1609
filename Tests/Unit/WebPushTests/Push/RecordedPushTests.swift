import Base
import Crypto
import TestSupport
import Testing

@testable import WebPush

@Suite("Recorded senders")
struct RecordedPushTests {
    private func push(_ recorded: RecordedPush, kind: SubscriptionKind) -> TestPush {
        var push = TestPush(body: bytes(recorded.request.body), kind: kind)
        push.fields = recorded.request.headers.map { ($0[0], $0[1]) }
        return push
    }

    @Test("A channel accepts every real sender's push", arguments: try RecordedPush.all("webpush"))
    func channel(_ recorded: RecordedPush) throws {
        let push = push(recorded, kind: .channel)
        // An old sender that wrote aes128gcm over a body of the older encoding.
        guard !recorded.id.hasPrefix("pywebpush-1.0.4-aes128gcm/") else {
            #expect(push.refusal == .encryption(.needlessSalt))
            return
        }
        let request = try push.request()
        #expect(request.effect == .message)
        #expect(
            request.content.ttl == recorded.header("ttl").flatMap { UInt32(decimalDigits: $0.span) }
        )
        if push.body.isEmpty {
            #expect(request.content.headers == nil)
        } else {
            #expect(request.content.headers?.encoding.rawValue == recorded.encoding)
            #expect((request.content.headers?.encryption != nil) == (recorded.encoding == "aesgcm"))
        }
    }

    @Test("Its signature names this server", arguments: try RecordedPush.all("webpush"))
    func signature(_ recorded: RecordedPush) throws {
        guard let authorization = recorded.header("authorization") else { return }
        var verifier = try VAPIDVerifier()
        let origin = try #require(Origin(url: recorded.endpoint))
        let policy = VAPIDPolicy(now: recorded.request.at, origins: origin.audiences, leeway: 60)
        #expect(throws: Never.self) {
            try verifier.verify(
                authorization: authorization, cryptoKey: recorded.header("crypto-key"),
                policy: policy)
        }
    }

    @Test("Every real simple push is a signal", arguments: try RecordedPush.all("simplepush"))
    func simplePush(_ recorded: RecordedPush) throws {
        for kind in [SubscriptionKind.signal, .receiver] {
            var push = push(recorded, kind: kind)
            push.method = .put
            let request = try push.request()
            guard case .signal(let version?) = request.effect else {
                Issue.record("\(request.effect)")
                continue
            }
            #expect(Array("version=\(version)".utf8) == push.body)
            #expect(request.content.ttl == 28 * 86_400)
        }
    }
}
