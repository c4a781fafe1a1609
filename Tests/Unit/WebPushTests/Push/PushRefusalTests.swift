import Foundation
import TestSupport
import Testing

@testable import WebPush

@Suite("Answers to a refused push")
struct PushRefusalTests {
    private let page = ErrorPage(base: "https://push.example/below")

    static let all: [PushRefusal] =
        [
            .unknownToken, .unknownVersion, .gone, .tooLarge, .missingTTL, .negativeTTL,
            .topicTooLong, .badTopic, .notText, .badMessageID, .tooMany(retryAfter: 7),
            .unavailable, .setAside, .missing, .clocksDiffer, .unknownOrigin,
        ]
        + AuthorizationFault.allCases.map(PushRefusal.unauthorized)
        + EncryptionFault.allCases.map(PushRefusal.encryption)
        + ScriptFault.allCases.map(PushRefusal.script)

    @Test(
        "Status, number and text match Mozilla's service",
        arguments: [
            (PushRefusal.unknownToken, 404, 102, "Invalid token"),
            (.unknownVersion, 404, 102, "Invalid API version"),
            (.gone, 410, 106, "No such subscription"),
            (.tooLarge, 413, 104, "Request body is too large"),
            (.unauthorized(.missingToken), 401, 109, "Missing VAPID token"),
            (.unauthorized(.missingKey), 401, 109, "Missing VAPID public key"),
            (.unauthorized(.badAudience), 401, 109, "Invalid VAPID audience"),
            (.unauthorized(.otherKey), 401, 109, "VAPID public key mismatch"),
            (.unauthorized(.expiryTooFar), 401, 109, "The VAPID token expiration is too long"),
            (.unauthorized(.unknownScheme), 401, 109, "Unknown auth scheme"),
            (.encryption(.missingEncoding), 400, 110, "Missing Content-Encoding header"),
            (.encryption(.unknownEncoding), 400, 110, "Unknown Content-Encoding header"),
            (.encryption(.missingEncryption), 400, 110, "Missing Encryption header"),
            (.encryption(.missingSalt), 400, 110, "Missing salt value in Encryption header"),
            (
                .encryption(.needlessSalt), 400, 110,
                "Do not include 'salt' header in aes128gcm Encryption header"
            ),
            (.encryption(.missingCryptoKey), 400, 110, "Missing Crypto-Key header"),
            (.encryption(.missingServerKey), 400, 110, "Missing p256ecdsa in Crypto-Key header"),
            (.missingTTL, 400, 111, "Missing TTL value"),
            (.topicTooLong, 400, 113, "topic: Topic must be no greater than 32 characters"),
            (
                .badTopic, 400, 113,
                "topic: Topic must be URL and Filename safe Base64 alphabet"
            ),
            (.negativeTTL, 400, 114, "ttl: TTL must be greater than 0"),
            (.badMessageID, 400, nil, "Invalid message ID"),
            (.unavailable, 503, 201, "Database error while saving notification"),
        ] as [(PushRefusal, Int, Int?, String)])
    func upstream(refusal: PushRefusal, status: Int, number: Int?, message: String) throws {
        #expect(refusal.status == status && refusal.number == number)
        #expect(refusal.message == message)
        let body =
            try JSONSerialization.jsonObject(with: Data(refusal.json(page))) as? [String: Any]
        #expect(Set((body ?? [:]).keys) == ["code", "errno", "error", "message", "more_info"])
        #expect(body?["code"] as? Int == status && body?["message"] as? String == message)
        #expect(body?["errno"] as? Int == number)
        #expect(number != nil || body?["errno"] is NSNull)
    }

    @Test("The members of the body have a fixed order")
    func json() {
        let text = String(decoding: PushRefusal.gone.json(page), as: UTF8.self)
        #expect(
            text == #"{"code":410,"errno":106,"error":"Gone","message":"No such subscription","#
                + #""more_info":"https://push.example/below/errors#errno-106"}"#)
    }

    @Test("Only permanent answers may be cached, and temporary ones say when to try again")
    func caching() {
        for refusal in Self.all {
            let mayPass = refusal.status == 429 || refusal.status == 503
            #expect((refusal.retryAfter != nil) == mayPass)
            let cacheControl = refusal.status == 410 ? "max-age=86400" : "no-store"
            #expect("\(refusal.cacheControl)" == cacheControl)
        }
        #expect(PushRefusal.unavailable.retryAfter == 120)
        #expect(PushRefusal.tooMany(retryAfter: 7).retryAfter == 7)
    }

    @Test("Every word is known before it is counted")
    func words() {
        #expect(Set(PushRefusal.words) == Set(Self.all.map(\.word)))
        #expect(Set(PushRefusal.words).count == PushRefusal.words.count)
    }

    @Test("Every number has its place in the documents")
    func documented() throws {
        let document = try String(
            contentsOf: Vectors.checkout.appending(path: "docs/errors.md"), encoding: .utf8)
        for refusal in Self.all {
            let anchor = try #require(page.place(of: refusal.number).split(separator: "#").last)
            #expect(document.contains("<a id=\"\(anchor)\"></a>"), "\(anchor)")
            #expect(document.contains(refusal.message), "\(refusal.message)")
        }
    }
}

@Suite("Signatures that are not accepted")
struct VAPIDAnswerTests {
    private func answer(
        _ refusal: VAPIDRefusal, isClockTrusted: Bool = true, namesAddressee: Bool = false
    ) -> PushRefusal {
        PushRefusal(
            refusal,
            PushRefusal.Circumstances(
                leeway: 60, isClockTrusted: isClockTrusted, namesAddressee: namesAddressee))
    }

    @Test("Up to an hour of difference may be a clock's fault")
    func time() {
        for (makeRefusal, fault) in [
            (VAPIDRefusal.expired(by:), AuthorizationFault.expired),
            (VAPIDRefusal.expiryTooFar(by:), .expiryTooFar),
        ] {
            #expect(answer(makeRefusal(1)) == .clocksDiffer)
            #expect(answer(makeRefusal(3540)) == .clocksDiffer)
            #expect(answer(makeRefusal(3541)) == .unauthorized(fault))
            #expect(answer(makeRefusal(1e9), isClockTrusted: false) == .clocksDiffer)
        }
    }

    @Test("An unconfigured name of this server is our error, any other name the sender's")
    func audience() {
        #expect(answer(.audienceMismatch) == .unauthorized(.badAudience))
        #expect(answer(.audienceMismatch, namesAddressee: true) == .unknownOrigin)
        #expect(answer(.badAudience, namesAddressee: true) == .unauthorized(.badAudience))
    }

    @Test(
        "Each cause has its answer",
        arguments: [
            (VAPIDRefusal.noAuthorization, PushRefusal.unauthorized(.missingToken)),
            (.missingToken, .unauthorized(.missingToken)),
            (.missingKey, .unauthorized(.missingKey)),
            (.badScheme, .unauthorized(.unknownScheme)), (.badKey, .unauthorized(.badKey)),
            (.badAuthorization, .unauthorized(.badField)), (.badJWT, .unauthorized(.badToken)),
            (.badAlgorithm, .unauthorized(.badAlgorithm)),
            (.badSignature, .unauthorized(.badSignature)),
            (.badExpiry, .unauthorized(.badExpiry)),
            (.keyNotSubscribed, .unauthorized(.otherKey)),
            (.missingCryptoKey, .encryption(.missingCryptoKey)),
            (.missingServerKey, .encryption(.missingServerKey)),
            (.badCryptoKeyHeader, .encryption(.badCryptoKey)),
        ])
    func causes(refusal: VAPIDRefusal, answer: PushRefusal) {
        #expect(self.answer(refusal) == answer)
        #expect(self.answer(refusal, isClockTrusted: false) == answer)
    }

    @Test(
        "A missing key is reported for Crypto-Key in the older schemes, for Authorization in the newer",
        arguments: [
            ("Bearer a.b.c", nil, VAPIDRefusal.missingCryptoKey),
            ("WebPush a.b.c", "dh=AAAA", .missingServerKey),
            ("vapid t=a.b.c", "p256ecdsa=AAAA", .missingKey),
        ] as [(String, String?, VAPIDRefusal)])
    func missingKeys(authorization: String, cryptoKey: String?, refusal: VAPIDRefusal) {
        #expect(throws: refusal) {
            try VAPIDAuthorization(
                authorization: Array(authorization.utf8),
                cryptoKey: cryptoKey.map { Array($0.utf8) })
        }
    }

    @Test(
        "The token of the older schemes may be padded, within the limit of Base64, and nothing follows it",
        arguments: [
            ("WebPush a.b.c", true), ("WebPush a.b.c=", true), ("Bearer \t a.b.c== ", true),
            ("WebPush a.b.c===", false), ("WebPush a.b.c d", false), ("WebPush =", false),
            ("WebPush", false),
        ])
    func bareTokens(authorization: String, isTaken: Bool) {
        let field = Array(authorization.utf8)
        let found = try? VAPIDAuthorization(
            authorization: field, cryptoKey: Array("p256ecdsa=AAAA".utf8))
        #expect(found.map { field[$0.token].elementsEqual("a.b.c".utf8) } == (isTaken ? true : nil))
    }

    @Test(
        "Accepted audiences",
        arguments: [
            (
                "https://push.example.net/x",
                [
                    "https://push.example.net", "https://push.example.net:443",
                    "https://push.example.net/", "https://push.example.net:443/",
                ]
            ),
            (
                "https://[0:0::1]:8443",
                [
                    "https://[::1]:8443", "https://[::1]", "https://[::1]:8443/", "https://[::1]/",
                ]
            ),
        ])
    func audiences(url: String, texts: [String]) throws {
        let origin = try #require(Origin(url: url))
        #expect(origin.audiences.map { String(decoding: $0, as: UTF8.self) } == texts)
    }
}
