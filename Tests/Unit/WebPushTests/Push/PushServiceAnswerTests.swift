import Testing

@testable import WebPush

@Suite("What push services of others answer")
struct PushServiceAnswerTests {
    private func answer(
        _ status: Int, _ body: String = "", retryAfter: String? = nil
    ) -> PushServiceAnswer {
        PushServiceAnswer(
            status: status, retryAfter: retryAfter, body: Array(body.utf8), now: 784_111_700)
    }

    @Test(
        "A status means the same whoever says it",
        arguments: [
            (200, .accepted), (201, .accepted), (202, .accepted), (204, .accepted),
            (404, .gone), (410, .gone), (413, .tooLong), (400, .refused), (405, .refused),
            (415, .refused), (401, .unauthorized), (403, .unauthorized),
            (301, .later(seconds: nil)), (307, .later(seconds: nil)),
            (406, .later(seconds: nil)), (408, .later(seconds: nil)),
            (429, .later(seconds: nil)), (500, .later(seconds: nil)),
            (503, .later(seconds: nil)), (100, .later(seconds: nil)),
        ] as [(Int, PushServiceAnswer.Meaning)])
    func statuses(_ status: Int, _ meaning: PushServiceAnswer.Meaning) {
        #expect(answer(status).meaning == meaning)
        #expect(answer(status, "anything").reason == nil)
    }

    @Test("Retry-After counts as seconds or as a date, and for at most an hour")
    func retryAfter() {
        for status in [406, 429, 503] {
            #expect(answer(status, retryAfter: "900").meaning == .later(seconds: 900))
        }
        #expect(answer(429, retryAfter: "0").meaning == .later(seconds: 0))
        #expect(answer(429, retryAfter: "86400").meaning == .later(seconds: 3_600))
        #expect(answer(429, retryAfter: "99999999999").meaning == .later(seconds: 3_600))
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        #expect(answer(503, retryAfter: date).meaning == .later(seconds: 77))
        let past = "Sun, 06 Nov 1994 08:00:00 GMT"
        #expect(answer(503, retryAfter: past).meaning == .later(seconds: 0))
        for text in ["", "-1", "soon", "1.5"] {
            #expect(answer(429, retryAfter: text).meaning == .later(seconds: nil))
        }
    }

    @Test("Only a subscription of another key ends by a refusal")
    func otherKeys() {
        for status in [400, 403] {
            let ended = answer(status, #"{"reason":"VapidPkHashMismatch"}"#)
            #expect(ended.meaning == .gone && ended.reason == "VapidPkHashMismatch")
        }
        let google = "the VAPID credentials in the authorization header do not correspond to …"
        #expect(answer(403, google).meaning == .gone)
        #expect(answer(403, #"{"reason":"BadJwtToken"}"#).meaning == .unauthorized)
        #expect(answer(400, #"{"reason":"BadWebPushTopic"}"#).meaning == .refused)
        #expect(answer(500, "VapidPkHashMismatch").meaning == .later(seconds: nil))
    }

    @Test("Of what it says, only known words are kept")
    func words() {
        #expect(answer(400, #"{"reason":"BadWebPushTopic"}"#).reason == "BadWebPushTopic")
        #expect(answer(413, #"{"reason":"PayloadTooLarge"}"#).reason == "PayloadTooLarge")
        #expect(answer(400, "https://push.example/secret").reason == nil)
    }
}
