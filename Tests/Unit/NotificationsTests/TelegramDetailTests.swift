import Base
import TestSupport
import Testing
@testable import Notifications

/// How TDLib reads numbers, texts and compressed attachments, under both policies.
@Suite("Telegram payloads in detail")
struct TelegramDetailTests {
    private func event(
        _ key: String, _ arguments: String, custom: String = "", _ policy: ChatPolicy = .strict
    ) -> Event? {
        let payload =
            #"{"loc_key":"\#(key)","loc_args":[\#(arguments)],"custom":{"from_id":1,"msg_id":5\#(custom)}}"#
        return TelegramDialect.events(Array(payload.utf8), DialectContext(policy: policy)).first
    }

    private func content(
        _ key: String, _ arguments: String, custom: String = "", _ policy: ChatPolicy = .strict
    ) -> PushContent? {
        guard case .message(let message) = event(key, arguments, custom: custom, policy) else {
            return nil
        }
        return message.content
    }

    @Test(
        "Counts overflow as in TDLib, or stop at the largest",
        arguments: [
            ("4", 4, 4), ("-3", -3, 0), ("007", 7, 7), ("12abc", 12, 12), ("+5", 0, 0), ("", 0, 0),
            ("3000000000", -1_294_967_296, 2_147_483_647),
            ("99999999999999999999", 1_661_992_959, 2_147_483_647),
        ] as [(String, Int64, Int64)])
    func counts(text: String, strict: Int64, learn: Int64) {
        #expect(content("MESSAGE_PHOTOS", #""U","\#(text)""#)?.number == strict)
        #expect(content("MESSAGE_PHOTOS", #""U","\#(text)""#, .learn)?.number == learn)
    }

    @Test(
        "Some keys take one argument more than documented",
        arguments: [
            ("MESSAGE_NOTHEME", #""U","x""#), ("MESSAGE_PHOTO_SECRET", #""U","x""#),
            ("MESSAGE_VIDEO_SECRET", #""U","x""#),
        ])
    func oneMore(key: String, arguments: String) {
        #expect(content(key, arguments)?.text == "x")
        #expect(content(key, arguments + #","y""#) == nil)
    }

    @Test(
        "So do events of groups, which name a member",
        arguments: ["CHAT_ADD_YOU", "CHAT_DELETE_YOU", "CHAT_LEFT", "CHAT_RETURNED"])
    func member(key: String) {
        let json =
            #"{"loc_key":"\#(key)","loc_args":["U","G","x"],"custom":{"chat_id":"77","msg_id":"5"}}"#
        let found = TelegramDialect.events(Array(json.utf8), DialectContext(policy: .strict))
        guard case .message(let message)? = found.first else {
            Issue.record("\(found)")
            return
        }
        #expect(message.content.text == "x")
    }

    @Test(
        "An address of a data center has to be one",
        arguments: [
            ("1.2.3.4:443", true), ("[2001:db8::1]:443", true), ("host:443", false),
            ("999.1.1.1:443", false), ("1.2.3.4:0", false), ("1.2.3.4:65536", false),
            ("2001:db8::1:443", false), ("[1.2.3.4]:443", false), ("1.2.3.4:4a", false),
            (":443", false), ("1.2.3.4", false),
        ])
    func dataCenters(address: String, isAddress: Bool) {
        let json = #"{"loc_key":"DC_UPDATE","custom":{"dc":2,"addr":"\#(address)"}}"#
        var context = DialectContext()
        context.policy = .learn
        let found = TelegramDialect.events(Array(json.utf8), context)
        if case .refused(code: 400, _)? = found.first {
            #expect(!isAddress)
        } else {
            #expect(isAddress && found == [.dcUpdate(dc: 2, address: address)])
        }
    }

    @Test("Stars have 64 bits; paid ones stop at the largest number")
    func stars() {
        #expect(content("MESSAGE_STARGIFT", #""U","5000000000""#)?.number == 5_000_000_000)
        let most = #""U","9223372036854775807""#
        #expect(content("MESSAGE_PAID_MEDIA", most)?.number == 1 << 51)
        #expect(content("MESSAGE_PAID_MEDIA", #""U","-5""#)?.number == 0)
        #expect(
            content("MESSAGE_GIVEAWAY_STARS", #""U","5","5000000000""#)?.secondNumber
                == 5_000_000_000)
    }

    @Test(
        "Numbers in other than canonical form are refused",
        arguments: ["007", "+5", " 7", "7.0", "1e3", ""]
    )
    func noNumbers(text: String) {
        let refusal = Event.refused(
            code: 400, message: "Can't parse as an integer string \"\(text)\"")
        for policy in [ChatPolicy.strict, .learn] {
            #expect(event("MESSAGE_GAME_SCORE", #""U","g","\#(text)""#, policy) == refusal)
            guard !text.isEmpty else { continue }
            let custom = #","messages":"\#(text)""#
            #expect(event("MESSAGE_DELETED", "", custom: custom, policy) == refusal)
        }
    }

    @Test(
        "Characters that would disturb a screen are removed from texts",
        arguments: [
            (#"a\tb"#, "a b"), (#"a\rb\r\nc"#, "ab\nc"), (#"x\u0000y\u0007z"#, "x y z"),
            (#"rtl \u202eevil\u202c end"#, "rtl evil end"), (#"line\u2028sep"#, "linesep"),
            (#"\u200e\u200e\u200e\u200fm"#, "\u{200C}\u{200C}\u{200C}\u{200F}m"),
            (#"u\u0333v\u033fw\u030ax"#, "uvwx"), (#"z\u0301\u0302"#, "z\u{301}\u{302}"),
            (#"\u2066iso\u2069"#, "\u{2066}iso\u{2069}"), (#"\q"#, "q"), ("tab\there", "tab here"),
            ("new\nline", "new\nline"), (#"\ud83d\ude00"#, "😀"), ("\u{FFFD}", "\u{FFFD}"),
        ])
    func texts(source: String, cleaned: String) {
        for policy in [ChatPolicy.strict, .learn] {
            #expect(content("MESSAGE_TEXT", #""U","\#(source)""#, policy)?.text == cleaned)
        }
        #expect(content("MESSAGE_TEXT\\u202e", #""U","x""#)?.text == "x")
    }

    @Test(
        "TDLib refuses a lone surrogate; learn shows a replacement",
        arguments: [
            (#"\ud800"#, #"\355\240\200"#), (#"half \udc00 pair"#, #"half \355\260\200 pair"#),
            (#"\ud800\u0041"#, #"\355\240\200A"#),
        ])
    func surrogates(source: String, told: String) {
        #expect(
            event("MESSAGE_TEXT", #""U","\#(source)""#)
                == .refused(code: 400, message: "Receive invalid loc_arg \(told)"))
        let shown = content("MESSAGE_TEXT", #""U","\#(source)""#, .learn)?.text
        #expect(shown?.contains("\u{FFFD}") == true)
        #expect(
            event(#"\ud800"#, #""U""#)
                == .refused(code: 400, message: #"Receive invalid loc_key \355\240\200"#))
        // Two surrogates in the wrong order still become one character.
        #expect(
            content("MESSAGE_TEXT", #""U","\ude00\ud83d""#)?.text.unicodeScalars.map(\.value)
                == [0x9003D])
    }

    @Test("A sticker's emoji stands alone")
    func sticker() {
        #expect(content("MESSAGE_STICKER", #""U","  😀 ""#)?.text == "😀")
        #expect(content("MESSAGE_TEXT", #""U","  x ""#)?.text == "  x ")
    }

    /// A photo, packed, as it was recorded.
    private static let packedPhoto =
        "oc9yMGsfiwgAFK8DawL_S62S_M0ABKJno9lB9MaMe1YgmrkoNY3hY3Cq6JGtMkxAvt6eDQ8YMxkYxBlZ2RgYmZhZWNn"
        + "YOTi5uHl4-fgFBIWEE_qOlzLmMjA4MDIwnACqV_BjYADpAwCCGDWGYAAAAA"

    @Test("An attachment may be compressed; a broken one is refused")
    func packed() {
        for policy in [ChatPolicy.strict, .learn] {
            func content(_ key: String, _ base64: String) -> PushContent? {
                self.content(key, #""U","x""#, custom: #","attachb64":"\#(base64)""#, policy)
            }
            #expect(content("MESSAGE_TEXT", Self.packedPhoto)?.kind == .photo)
            let cut = #","attachb64":"\#(Self.packedPhoto.dropLast(6))""#
            #expect(
                event("MESSAGE_TEXT", #""U","x""#, custom: cut, policy)
                    == .refused(
                        code: 400,
                        message: "Failed to parse gzip_packed in attach: Not enough data to read"))
            let other = #","attachb64":"oc9yMAhub3QgZ3ppcAAAAA""#
            #expect(
                event("MESSAGE_TEXT", #""U","x""#, custom: other, policy)
                    == .refused(code: 400, message: "Failed to uncompress attach"))
        }
    }

    @Test("No changed byte of a packed attachment does harm")
    func damaged() throws {
        let text = Array(Self.packedPhoto.utf8)
        let decoded = Base64URL.decode(text.span)
        let bytes = try #require(decoded)
        for position in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[position] ^= 1 << bit
                _ = event(
                    "MESSAGE_TEXT", #""U","x""#,
                    custom: #","attachb64":"\#(Base64URL.text(changed.span))""#)
            }
        }
    }

    @Test("A self-destructing video stays a video, whatever is attached")
    func secretVideo() {
        let animation =
            "2MTUjwAAAAAHHuFKAQAAAAkDAAAAAAAAA3JlZgDxU2UJdmlkZW8vbXA0AAA5MAAAAAAAAAIAAAAVxLUcBAAAADmJtRFcwTdsQAEAAPAAAABIfMVDAAAAAAAAAAAAAChAQAEAAPAAAABoAFkVCnJlcG9ydC5wZGYA"
        let custom = #","attachb64":"\#(animation)""#
        #expect(content("MESSAGE_VIDEO", #""U""#, custom: custom)?.kind == .animation)
        let secret = content("MESSAGE_VIDEO_SECRET", #""U""#, custom: custom)
        #expect(secret?.kind == .video && secret?.flags.contains(.isSecret) == true)
    }

    @Test(
        "Channels have two ranges of identifiers",
        arguments: [
            (997_852_516_351, true), (997_852_516_352, false), (1_002_147_483_648, false),
            (1_002_147_483_649, true), (2_999_999_999_999, true), (3_000_000_000_000, false),
        ])
    func channels(id: Int64, isOne: Bool) {
        let custom = #","channel_id":\#(id)"#
        let event = event("CHANNEL_MESSAGE_TEXT", #""C","x""#, custom: custom, .learn)
        if isOne {
            guard case .message(let message) = event else {
                Issue.record("it was refused")
                return
            }
            #expect(message.chat == .id(.channel(id)))
        } else {
            #expect(
                event == .refused(code: 400, message: "Receive invalid supergroup identifier"))
        }
    }

    @Test("Unused fields must be valid, too")
    func checked() {
        #expect(
            event("MESSAGE_TEXT", #""U","x""#, custom: #","report_delivery_until_date":"x""#)
                == .refused(
                    code: 400,
                    message: #"Field "report_delivery_until_date" must be a valid Number"#))
        let payload =
            #"{"loc_key":"MESSAGE_TEXT","message":{},"loc_args":["U","x"],"custom":{"from_id":1,"msg_id":5}}"#
        #expect(
            TelegramDialect.events(Array(payload.utf8), DialectContext()) == [
                .refused(code: 400, message: #"Field "message" must be of type String"#)
            ])
    }
}
