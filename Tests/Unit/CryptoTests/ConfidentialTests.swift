import Base
import Crypto
import Outbound
import TestSupport
import Testing
import WebPush

@Suite("Types that hold secrets do not print them")
struct ConfidentialTests {
    private static func views(_ value: Any) -> String {
        var dumped = ""
        dump(value, to: &dumped)
        return "\(value) \(String(reflecting: value)) \(dumped)"
    }

    /// Text, hex and the list of numbers: the ways in which a careless description would show
    /// bytes.
    private static func forms(of bytes: [UInt8]) -> [String] {
        let hexadecimal: [String] = bytes.map { String($0, radix: 16) }
        return [
            String(decoding: bytes, as: UTF8.self), Base64URL.text(bytes.span),
            hexadecimal.joined(), String("\(bytes)".dropFirst().dropLast()),
        ]
    }

    @Test("Keys, requests and messages print as their names")
    func printing() throws {
        let mark = Array("xyzzy-xyzzy-xyzzy-xyzzy-xyzzy-xy".utf8)
        let long = Array(repeatElement(mark, count: 8).joined())
        let point = try #require(UncompressedPoint(base64URL: Self.point))
        let master = try #require(try MasterKey(Secret(mark.span)))
        let mtproto = try #require(MTProtoSecret(Secret(long.span)))
        let text = String(decoding: mark, as: UTF8.self)
        let origin = try #require(Origin(url: "https://push.example.net"))
        let values: [Any] = [
            Secret(mark.span), master, mtproto,
            HTTPRequest(method: "POST", url: "https://\(text)", fields: [(text, text)], body: mark),
            EncryptedPush(record: mark, encoding: .aesgcm, salt: mark.span, senderKey: point),
            VAPIDToken(audience: origin, expiry: 1, subject: text),
            [Optional(Secret(mark.span))],
        ]
        for value in values {
            let shown = Self.views(value)
            for form in Self.forms(of: mark) { #expect(!shown.contains(form)) }
        }
        #expect(Self.views(Secret(mark.span)).contains("<Secret>"))
    }

    private static let point =
        "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8"
}
