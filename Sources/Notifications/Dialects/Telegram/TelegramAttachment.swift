import Base

/// The Photo or Document that a push about media may carry.
struct TelegramAttachment {
    private(set) var kind: PushContent.Kind
    /// What is known beyond the kind: a file name, a song title, a duration.
    private(set) var detail = ""
    /// A small preview, as a data link.
    private(set) var picture = ""

    /// Nil if the payload carries none, or one that cannot be read.
    init?(_ custom: TelegramFields) throws(TelegramRefusal) {
        guard custom.has("attachb64") else { return nil }
        var bytes = try Self.decoded(Array(try custom.requiredText("attachb64").utf8))
        guard bytes.count >= 4 else {
            throw .malformed("Failed to parse attach: Not enough data to read")
        }
        if bytes.starts(with: Self.packed) { bytes = try Self.unpacked(bytes) }
        do throws(TLReader.Damage) {
            try self.init(bytes)
        } catch {
            return nil
        }
    }

    /// The constructor of `gzip_packed`, as it stands on the wire.
    private static let packed: [UInt8] = [0xA1, 0xCF, 0x72, 0x30]
    /// Far more than a real attachment needs.
    private static let unpackedLimit = 1 << 20

    private static func unpacked(_ bytes: [UInt8]) throws(TelegramRefusal) -> [UInt8] {
        var reader = TLReader(bytes)
        let zipped: [UInt8]
        do throws(TLReader.Damage) {
            _ = try reader.word()
            zipped = Array(try reader.data())
        } catch {
            throw .malformed("Failed to parse gzip_packed in attach: Not enough data to read")
        }
        do throws(Inflater.Damage) {
            return try Inflater.unzipped(zipped, limit: unpackedLimit)
        } catch {
            throw .malformed("Failed to uncompress attach")
        }
    }

    private static func decoded(_ text: [UInt8]) throws(TelegramRefusal) -> [UInt8] {
        let padding = text.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard padding < 3 else { throw .malformed("Wrong string padding") }
        guard padding == 0 || text.count.isMultiple(of: 4) else {
            throw .malformed("Wrong padding length")
        }
        let letters = Array(text.dropLast(padding))
        guard letters.count % 4 != 1 else { throw .malformed("Wrong string length") }
        guard letters.allSatisfy(isBase64URL) else {
            throw .malformed("Wrong character in the string")
        }
        guard let bytes = Base64URL.decode(letters.span) else {
            throw .malformed("Wrong padding in the string")
        }
        return bytes
    }

    private static func isBase64URL(_ byte: UInt8) -> Bool {
        byte.isDigit
            || (byte.lowercased >= UInt8(ascii: "a") && byte.lowercased <= UInt8(ascii: "z"))
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }

    private init(_ bytes: [UInt8]) throws(TLReader.Damage) {
        var reader = TLReader(bytes)
        kind = .document
        switch try reader.word() {
        case 0xfb19_7a65: try readPhoto(&reader)
        case 0x8fd4_c4d8: try readDocument(&reader)
        default: throw TLReader.Damage()
        }
        guard reader.isAtEnd else { throw TLReader.Damage() }
    }

    /// Refines the content of a message by its attachment, if the kinds match.
    func apply(to content: inout PushContent) {
        let kinds: Set<PushContent.Kind> =
            kind == .photo
            ? [.text, .photo]
            : [.text, .document, .animation, .video, .videoNote, .voiceNote, .audio, .sticker]
        // Self-destructing messages stay as they are.
        guard kinds.contains(content.kind), !content.flags.contains(.isSecret) else { return }
        content.kind = kind
        if kind == .document || kind == .voiceNote || kind == .videoNote { content.text = "" }
    }

    /// `photo`: flags, id, access hash, file reference, date, sizes, moving sizes, data center.
    private mutating func readPhoto(_ reader: inout TLReader) throws(TLReader.Damage) {
        kind = .photo
        let flags = try reader.word()
        try reader.skip(words: 4)
        _ = try reader.data()
        try reader.skip(words: 1)
        try readSizes(&reader)
        if flags & 1 << 1 != 0 { try Self.skipMovingSizes(&reader) }
        try reader.skip(words: 1)
    }

    /// `document`: flags, id, access hash, file reference, date, type, size, thumbnails, moving
    /// ones, data center, attributes.
    private mutating func readDocument(_ reader: inout TLReader) throws(TLReader.Damage) {
        let flags = try reader.word()
        try reader.skip(words: 4)
        _ = try reader.data()
        try reader.skip(words: 1)
        _ = try reader.data()
        try reader.skip(words: 2)
        if flags & 1 != 0 { try readSizes(&reader) }
        if flags & 1 << 1 != 0 { try Self.skipMovingSizes(&reader) }
        try reader.skip(words: 1)
        var name = ""
        for _ in 0..<(try reader.vector()) { try readAttribute(&reader, name: &name) }
        if kind == .document { detail = name }
    }

    private mutating func readAttribute(
        _ reader: inout TLReader, name: inout String
    ) throws(TLReader.Damage) {
        switch try reader.word() {
        case 0x6c37_c15c: try reader.skip(words: 2)  // The size of a picture.
        case 0x1559_0068: name = try reader.text()
        case 0x9801_d2f7: break  // Has stickers.
        case 0x11b5_8939:
            kind = .animation
            detail = ""
        case 0x6319_d612:
            kind = .sticker
            detail = ""
            try Self.skipSticker(&reader)
        case 0x43c5_7c48: try readVideo(&reader)
        case 0x9852_f9c6: try readAudio(&reader)
        default: throw TLReader.Damage()
        }
    }

    /// Flags, duration, width, height; preload size, start time, codec.
    private mutating func readVideo(_ reader: inout TLReader) throws(TLReader.Damage) {
        let flags = try reader.word()
        let seconds = try reader.double()
        try reader.skip(words: 2)
        if flags & 1 << 2 != 0 { try reader.skip(words: 1) }
        if flags & 1 << 4 != 0 { try reader.skip(words: 2) }
        if flags & 1 << 5 != 0 { _ = try reader.data() }
        // Animations and animated stickers have video attributes, too.
        guard kind == .document else { return }
        kind = flags & 1 != 0 ? .videoNote : .video
        detail = Self.duration(seconds)
    }

    /// Flags, duration, title, performer, waveform.
    private mutating func readAudio(_ reader: inout TLReader) throws(TLReader.Damage) {
        let flags = try reader.word()
        let seconds = try reader.int()
        let title = flags & 1 != 0 ? try reader.text() : ""
        let performer = flags & 1 << 1 != 0 ? try reader.text() : ""
        if flags & 1 << 2 != 0 { _ = try reader.data() }
        let isVoice = flags & 1 << 10 != 0
        kind = isVoice ? .voiceNote : .audio
        let song = [performer, title].filter { !$0.isEmpty }.joined(separator: " – ")
        detail = isVoice || song.isEmpty ? Self.duration(Double(seconds)) : song
    }

    /// Minutes and seconds.
    private static func duration(_ seconds: Double) -> String {
        guard seconds > 0, seconds < 1_000_000 else { return "" }
        let (minutes, rest) = Int(seconds.rounded()).quotientAndRemainder(dividingBy: 60)
        return "\(minutes):\(rest < 10 ? "0" : "")\(rest)"
    }

    private mutating func readSizes(_ reader: inout TLReader) throws(TLReader.Damage) {
        for _ in 0..<(try reader.vector()) {
            let kind = try reader.word()
            _ = try reader.data()
            switch kind {
            case 0x0e17_e23c: break  // Empty.
            case 0x75c7_8e60: try reader.skip(words: 3)
            case 0x021e_1ad6:
                try reader.skip(words: 2)
                _ = try reader.data()
            case 0xe0b0_bc2e: picture = TelegramSketch.link(try reader.data()) ?? ""
            case 0xd821_4d41: _ = try reader.data()  // An outline.
            case 0xfa3e_fb95:
                try reader.skip(words: 2)
                try reader.skip(words: try reader.vector())
            default: throw TLReader.Damage()
            }
        }
    }

    private static func skipMovingSizes(_ reader: inout TLReader) throws(TLReader.Damage) {
        for _ in 0..<(try reader.vector()) {
            guard try reader.word() == 0xde33_b094 else { throw TLReader.Damage() }
            let flags = try reader.word()
            _ = try reader.data()
            try reader.skip(words: 3)
            if flags & 1 != 0 { try reader.skip(words: 2) }
        }
    }

    /// Flags, emoji, sticker set, mask position.
    private static func skipSticker(_ reader: inout TLReader) throws(TLReader.Damage) {
        let flags = try reader.word()
        _ = try reader.data()
        switch try reader.word() {
        case 0xffb6_2b95: break
        case 0x9de7_a269: try reader.skip(words: 4)
        case 0x861c_c8a0: _ = try reader.data()
        default: throw TLReader.Damage()
        }
        if flags & 1 != 0 { try reader.skip(words: 8) }
    }
}

/// Telegram's picture previews: a JPEG of at most 40 pixels a side, sent without the part that is
/// the same in all of them.
enum TelegramSketch {
    /// The header that libjpeg writes for quality 20 with colours at half the resolution and the
    /// Huffman tables of ITU-T T.81 annex K. Height and width are filled in later.
    private static let beginning =
        """
        /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDACgcHiMeGSgjISMtKygwPGRBPDc3PHtYXUlkkYCZlo+AjIqgtObDoKra\
        rYqMyP/L2u71////m8H////6/+b9//j/2wBDASstLTw1PHZBQXb4pYyl+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4\
        +Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj/wAARCAAAAAADASIAAhEBAxEB/8QAHwAAAQUBAQEBAQEAAAAAAAAA\
        AAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAk\
        M2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKT\
        lJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/8QA\
        HwEAAwEBAQEBAQEBAQAAAAAAAAECAwQFBgcICQoL/8QAtREAAgECBAQDBAcFBAQAAQJ3AAECAxEEBSExBhJBUQdh\
        cRMiMoEIFEKRobHBCSMzUvAVYnLRChYkNOEl8RcYGRomJygpKjU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hp\
        anN0dXZ3eHl6goOEhYaHiImKkpOUlZaXmJmaoqOkpaanqKmqsrO0tba3uLm6wsPExcbHyMnK0tPU1dbX2Nna4uPk\
        5ebn6Onq8vP09fb3+Pn6/9oADAMBAAIRAxEAPwA=
        """

    private static let heightPosition = 164
    private static let widthPosition = 166
    private static let limit = 4_096

    /// The picture as a data link (RFC 2397); nil if it is not a sketch.
    static func link(_ sketch: ArraySlice<UInt8>) -> String? {
        guard sketch.count > 3, sketch.count <= limit, sketch.first == 1,
            var picture = Base64.decode(Array(beginning.utf8))
        else { return nil }
        picture[heightPosition] = sketch[sketch.startIndex + 1]
        picture[widthPosition] = sketch[sketch.startIndex + 2]
        picture += sketch.dropFirst(3)
        picture += [0xFF, 0xD9]
        return "data:image/jpeg;base64," + Base64.text(picture.span)
    }
}
