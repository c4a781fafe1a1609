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
            ([UInt8](repeating: 0, count: 257) + Array("ustar".utf8), "application/x-tar", ".tar"),
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
