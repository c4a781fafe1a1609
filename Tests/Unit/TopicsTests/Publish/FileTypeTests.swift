import Base
import Testing

@testable import Topics

@Suite("Kinds of files")
struct FileTypeTests {
    @Test(
        "A kind is known by the first bytes",
        arguments: [
            ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1], "image/png", ".png"),
            ([0xFF, 0xD8, 0xFF, 0xE0], "image/jpeg", ".jpg"),
            (Array("GIF89a".utf8), "image/gif", ".gif"),
            (Array("RIFF1234WEBPVP8 ".utf8), "image/webp", ".webp"),
            (Array("RIFF1234WAVEfmt ".utf8), "audio/wav", ".wav"),
            (Array("%PDF-1.7".utf8), "application/pdf", ".pdf"),
            ([0x50, 0x4B, 0x03, 0x04, 0], "application/zip", ".zip"),
            ([0x1F, 0x8B, 0x08, 0], "application/gzip", ".gz"),
            (Array("ID3".utf8) + [3], "audio/mpeg", ".mp3"),
            ([0xFF, 0xFB, 0x90], "audio/mpeg", ".mp3"),
            ([0, 0, 0, 0x18] + Array("ftypisom".utf8), "video/mp4", ".mp4"),
            ([0, 0, 0, 0x18] + Array("ftypavif".utf8), "image/avif", ".avif"),
            (Array("OggS".utf8), "audio/ogg", ".ogg"),
            (Array(" \n<!DOCTYPE html><p>".utf8), "text/html; charset=utf-8", ".html"),
            (Array("<?xml version='1.0'?>".utf8), "text/xml; charset=utf-8", ".xml"),
            (Array("{\"a\": 1}\n".utf8), "application/json", ".json"),
            (Array("{a}".utf8), "text/plain; charset=utf-8", ".txt"),
            (Array("Büro".utf8), "text/plain; charset=utf-8", ".txt"),
            ([], "text/plain; charset=utf-8", ".txt"),
            ([0xFE, 0xDC], "application/octet-stream", ".bin"),
        ] as [([UInt8], String, String)])
    func kinds(_ bytes: [UInt8], _ name: String, _ suffix: String) {
        let type = FileType(of: bytes)
        #expect(type.name == name)
        #expect(type.suffix == suffix)
    }
}

@Suite("Names of files")
struct FileNameTests {
    private func content(_ name: String, _ value: String) throws -> TopicContent {
        try WrittenRequest("m", [(name, value)]).publication().content
    }

    @Test(
        "The name of a file leads nowhere else and hides nothing",
        arguments: [
            ("https://h/a/b%2F..%2Fc.png", "c.png"), ("https://h/a/..%5C..%5Cx.exe", "x.exe"),
            ("https://h/%00%0Aa%1B.txt", "a.txt"), ("https://h/a%E2%80%AEgnp.exe", "agnp.exe"),
            ("https://h/a/%2E%2E", "attachment"), ("https://h/%00", "attachment"),
        ])
    func fileNames(link: String, name: String) throws {
        #expect(try content("Attach", link).attachment?.name == name)
    }

    @Test("So does the name that a sender gives")
    func givenNames() throws {
        for (given, name) in [
            ("../../.bashrc", ".bashrc"), ("C:\\a\\b.txt", "b.txt"), ("/", "attachment.txt"),
            ("a\u{1}b\u{202E}.txt", "ab.txt"), ("..", "attachment.txt"),
            ("a/\u{301}b", "\u{301}b"),
        ] {
            let content = try self.content("Filename", given)
            #expect(content.attachment?.name == name)
            #expect(content.text == "You received a file: " + name)
        }
        let long = String(repeating: "x", count: 300)
        let cut = try content("Filename", long).attachment?.name
        #expect(cut?.unicodeScalars.count == 200)
    }
}
