import Base
import Notifications

/// The TL object that a push about media may carry: only its type is of use here.
enum TelegramAttachment {
    static func apply(
        _ custom: TelegramFields, to content: inout PushContent
    ) throws(TelegramRefusal) {
        guard custom.has("attachb64") else { return }
        let text = Array(try custom.requiredText("attachb64").utf8)
        guard let bytes = Base64URL.decodeToleratingPadding(text.span) else {
            throw .malformed(
                text.allSatisfy(isBase64URL)
                    ? "Wrong string length" : "Wrong character in the string")
        }
        guard let constructor = word(at: 0, in: bytes) else {
            throw .malformed("Failed to parse attach: Not enough data to read")
        }
        switch constructor {
        case photo: if content.kind == .text || content.kind == .photo { retype(&content, .photo) }
        case document:
            if let kind = documentKind(bytes), retypable.contains(content.kind) {
                retype(&content, kind)
            }
        default: break
        }
    }

    private static func isBase64URL(_ byte: UInt8) -> Bool {
        byte.isDigit
            || (byte.lowercased >= UInt8(ascii: "a") && byte.lowercased <= UInt8(ascii: "z"))
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "=")
    }

    private static let retypable: Set<PushContent.Kind> = [
        .text, .document, .animation, .video, .videoNote, .voiceNote, .audio, .sticker,
    ]

    private static func retype(_ content: inout PushContent, _ kind: PushContent.Kind) {
        content.kind = kind
        if kind == .document || kind == .voiceNote || kind == .videoNote { content.text = "" }
    }

    // Constructors of the TL language, as they stand on the wire.
    private static let photo: UInt32 = 0xfb19_7a65
    private static let document: UInt32 = 0x8fd4_c4d8
    private static let vector: UInt32 = 0x1cb5_c415
    private static let animated: UInt32 = 0x11b5_8939
    private static let sticker: UInt32 = 0x6319_d612
    private static let video: UInt32 = 0x43c5_7c48
    private static let olderVideo: UInt32 = 0xd38f_f1c2
    private static let audio: UInt32 = 0x9852_f9c6

    /// What the attributes of a document say it is. They lie at its end, on whole words.
    private static func documentKind(_ bytes: [UInt8]) -> PushContent.Kind? {
        var kind: PushContent.Kind?
        var isInVector = false
        for index in stride(from: 0, to: bytes.count - 3, by: 4) {
            guard let word = word(at: index, in: bytes) else { return kind }
            if word == vector { isInVector = true }
            guard isInVector else { continue }
            switch word {
            case animated: return .animation
            case sticker: return .sticker
            case video, olderVideo:
                let isRound = (Self.word(at: index + 4, in: bytes) ?? 0) & 1 != 0
                kind = isRound ? .videoNote : .video
            case audio:
                let isVoice = (Self.word(at: index + 4, in: bytes) ?? 0) & 1 << 10 != 0
                kind = isVoice ? .voiceNote : .audio
            default: break
            }
        }
        return kind ?? (isInVector ? .document : nil)
    }

    private static func word(at index: Int, in bytes: [UInt8]) -> UInt32? {
        guard index + 4 <= bytes.count else { return nil }
        return (0..<4).reversed().reduce(0) { $0 << 8 | UInt32(bytes[index + $1]) }
    }
}
