import Base

/// What kind of file some bytes are, by what they begin with. Names are not looked at, because their
/// sender may have chosen them to deceive.
struct FileType: Equatable {
    /// The media type.
    let name: String
    /// What names of such files end with.
    let suffix: String

    private init(_ name: String, _ suffix: String) { (self.name, self.suffix) = (name, suffix) }

    init(of file: [UInt8]) {
        let start = file.prefix(512)
        if let known = Self.known.first(where: { $0.isMark(of: start) }) {
            self = known.type
        } else if String(validating: file, as: UTF8.self) != nil {
            self = Self.text(file)
        } else {
            self.init("application/octet-stream", ".bin")
        }
    }

    private static func text(_ file: [UInt8]) -> FileType {
        let start = file.drop { $0.isBlank || $0 == 0x0A || $0 == 0x0D }
        switch start.first {
        case UInt8(ascii: "<"):
            let word = String(decoding: start.prefix(14), as: UTF8.self).lowercased()
            if word.hasPrefix("<!doctype html") || word.hasPrefix("<html") {
                return FileType("text/html; charset=utf-8", ".html")
            }
            if word.hasPrefix("<?xml") { return FileType("text/xml; charset=utf-8", ".xml") }
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            // A longer one is not worth the time, and is text as well.
            let isJSON = file.count <= 1 << 20 && (try? JSONDocument(file)) != nil
            if isJSON { return FileType("application/json", ".json") }
        default: break
        }
        return FileType("text/plain; charset=utf-8", ".txt")
    }
}

extension FileType {
    /// Bytes at a place by which a kind of file is known.
    private struct Mark {
        let type: FileType
        let bytes: [UInt8]
        let place: Int

        init(_ name: String, _ suffix: String, _ bytes: [UInt8], at place: Int = 0) {
            (type, self.bytes, self.place) = (FileType(name, suffix), bytes, place)
        }

        init(_ name: String, _ suffix: String, _ text: String, at place: Int = 0) {
            self.init(name, suffix, Array(text.utf8), at: place)
        }

        func isMark(of file: ArraySlice<UInt8>) -> Bool {
            file.dropFirst(place).starts(with: bytes)
        }
    }

    private static let known: [Mark] = [
        Mark("image/png", ".png", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
        Mark("image/jpeg", ".jpg", [0xFF, 0xD8, 0xFF]),
        Mark("image/gif", ".gif", "GIF87a"),
        Mark("image/gif", ".gif", "GIF89a"),
        Mark("image/webp", ".webp", "WEBPVP8", at: 8),
        Mark("image/avif", ".avif", "ftypavif", at: 4),
        Mark("application/pdf", ".pdf", "%PDF-"),
        Mark("application/zip", ".zip", [0x50, 0x4B, 0x03, 0x04]),
        Mark("application/gzip", ".gz", [0x1F, 0x8B, 0x08]),
        Mark("audio/mpeg", ".mp3", "ID3"),
        Mark("audio/mpeg", ".mp3", [0xFF, 0xFB]),
        Mark("audio/wav", ".wav", "WAVEfmt ", at: 8),
        Mark("audio/ogg", ".ogg", "OggS"),
        Mark("video/mp4", ".mp4", "ftyp", at: 4),
        Mark("video/webm", ".webm", [0x1A, 0x45, 0xDF, 0xA3]),
    ]
}
