import Base
import TestSupport
import Testing
@testable import Notifications

@Suite("What Telegram attaches to a push")
struct TelegramAttachmentTests {
    /// Values in the TL language's encoding.
    private struct TL {
        var bytes: [UInt8] = []

        static func word(_ value: UInt32) -> TL {
            TL(bytes: (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) })
        }

        static func words(_ count: Int) -> TL { TL(bytes: Array(repeating: 7, count: count * 4)) }

        static func text(_ text: String) -> TL {
            var bytes = [UInt8(text.utf8.count)] + Array(text.utf8)
            while bytes.count % 4 != 0 { bytes.append(0) }
            return TL(bytes: bytes)
        }

        static func double(_ value: Double) -> TL {
            TL(bytes: (0..<8).map { UInt8(truncatingIfNeeded: value.bitPattern >> ($0 * 8)) })
        }

        static func vector(_ items: [TL]) -> TL {
            items.reduce(word(0x1cb5_c415) + word(UInt32(items.count)), +)
        }

        static func + (left: TL, right: TL) -> TL { TL(bytes: left.bytes + right.bytes) }
    }

    private static let sizes = TL.vector([
        .word(0xe0b0_bc2e) + .text("i") + .text("sketch"),
        .word(0x75c7_8e60) + .text("m") + .words(3),
        .word(0xfa3e_fb95) + .text("y") + .words(2) + .vector([.word(1), .word(2)]),
    ])

    private static let photo =
        .word(0xfb19_7a65) + .word(0) + .words(4) + .text("reference") + .words(1) + sizes
        + .words(1)

    private static func document(_ attributes: [TL]) -> TL {
        .word(0x8fd4_c4d8) + .word(1) + .words(4) + .text("ref") + .words(1)
            + .text("application/pdf") + .words(2) + sizes + .words(1) + .vector(attributes)
    }

    private static let name = TL.word(0x1559_0068) + .text("report.pdf")
    private static func video(_ flags: UInt32) -> TL {
        .word(0x43c5_7c48) + .word(flags) + .double(83.4) + .words(2)
    }

    private func message(_ key: String, _ attachment: TL) -> IncomingMessage? {
        let base64 = Base64URL.text(attachment.bytes.span)
        let payload =
            #"{"loc_key":"\#(key)","loc_args":["Ann","🖼 hi"],"custom":{"from_id":1,"msg_id":5,"attachb64":"\#(base64)"}}"#
        for case .message(let message) in Dialect.telegram.events(
            Array(payload.utf8), DialectContext())
        {
            return message
        }
        return nil
    }

    @Test("An attached photo turns a text into a photo and removes its emoji")
    func photo() {
        let content = message("MESSAGE_TEXT", Self.photo)?.content
        #expect(content == PushContent(.photo, text: "hi"))
        #expect(message("MESSAGE_DOC", Self.photo)?.content.kind == .document)
    }

    @Test(
        "A document's attributes decide its kind and its name, song title or duration",
        arguments: [
            ([name], PushContent.Kind.document, " (report.pdf)"),
            ([video(0), name], .video, " (1:23)"), ([video(1)], .videoNote, " (1:23)"),
            ([.word(0x11b5_8939), video(0)], .animation, ""),
            (
                [.word(0x9852_f9c6) + .word(3) + .word(200) + .text("Song") + .text("Band")],
                .audio, " (Band – Song)"
            ),
            ([.word(0x9852_f9c6) + .word(1 << 10) + .word(42)], .voiceNote, " (0:42)"),
            (
                [.word(0x6319_d612) + .word(0) + .text("😀") + .word(0x9de7_a269) + .words(4)],
                .sticker, ""
            ),
        ] as [([TL], PushContent.Kind, String)])
    private func document(attributes: [TL], kind: PushContent.Kind, detail: String) throws {
        let found = try #require(self.message("MESSAGE_TEXT", Self.document(attributes)))
        #expect(found.content.kind == kind)
        let body = try #require(found.presentation?.body)
        #expect(body.hasSuffix(detail) && body.hasSuffix(")") == !detail.isEmpty)
    }

    @Test("Truncated or unknown input, or input with trailing bytes, changes nothing")
    func damaged() {
        let whole = Self.document([Self.name])
        for prefix in prefixes(of: whole.bytes) where prefix.count >= 4 {
            #expect(message("MESSAGE_TEXT", TL(bytes: prefix))?.content.kind == .text)
        }
        let longer = whole + .word(0)
        #expect(message("MESSAGE_TEXT", longer)?.content.kind == .text)
        #expect(message("MESSAGE_TEXT", .word(5) + .words(9))?.content.kind == .text)
    }

    /// A picture from libjpeg, without its start and end.
    private static let stripped =
        "AR4op5ozTc0Zo9kej7QdmjNNzRmj2Qe0HZopuaKPZB7QZmjNNzRmvR9mcHtB2aM03NGaPZh7Qdmim5oo9mHtDw=="

    @Test("A preview becomes a complete JPEG, which is not shown if previews are off")
    func sketch() throws {
        let bytes = try #require(Base64.decode(Array(Self.stripped.utf8)))
        var sketch = TL(bytes: [UInt8(bytes.count)] + bytes)
        while sketch.bytes.count % 4 != 0 { sketch.bytes.append(0) }
        let photo =
            .word(0xfb19_7a65) + .word(0) + .words(4) + .text("reference") + .words(1)
            + TL.vector([.word(0xe0b0_bc2e) + .text("i") + sketch]) + .words(1)
        let icon = try #require(message("MESSAGE_PHOTO", photo)?.presentation?.icon)
        let prefix = "data:image/jpeg;base64,"
        #expect(icon.hasPrefix(prefix))
        let picture = try #require(Base64.decode(Array(icon.utf8.dropFirst(prefix.utf8.count))))
        #expect(picture.starts(with: [0xFF, 0xD8, 0xFF, 0xE0]) && picture.count == 686)
        #expect(picture.suffix(2) == [0xFF, 0xD9])
        // Height and width.
        #expect(Array(picture[163...166]) == [0, 30, 0, 40])
        #expect(message("MESSAGE_PHOTO", Self.photo)?.presentation?.icon == "")
    }

    @Test("A vector that claims more than there is, is damage")
    func huge() {
        let claim =
            .word(0xfb19_7a65) + .word(0) + .words(4) + .text("r") + .words(1)
            + .word(0x1cb5_c415) + .word(UInt32(Int32.max)) + .words(2)
        #expect(message("MESSAGE_TEXT", claim)?.content.kind == .text)
    }
}
