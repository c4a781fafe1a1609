@testable import HTTP

/// Frames as bytes, for what no client library would send.
enum HTTP2Wire {
    static let preface = HTTP2FrameScanner.preface.withUTF8Buffer(Array.init)

    /// The beginning of each connection.
    static let opening = preface + settings()

    static func frame(
        _ kind: UInt8, flags: UInt8 = 0, stream: Int32 = 0, _ payload: [UInt8] = []
    ) -> [UInt8] {
        let length = payload.count
        let number = UInt32(bitPattern: stream)
        let header: [UInt8] = [
            UInt8(length >> 16 & 0xFF), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF),
            kind, flags, UInt8(number >> 24), UInt8(number >> 16 & 0xFF),
            UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF),
        ]
        return header + payload
    }

    static func settings(_ payload: [UInt8] = []) -> [UInt8] { frame(0x4, payload) }

    /// GET / from the static table of HPACK; `flags` END_STREAM and END_HEADERS.
    static func get(_ stream: Int32, flags: UInt8 = 0x5) -> [UInt8] {
        frame(0x1, flags: flags, stream: stream, getBlock)
    }

    /// :method GET, :scheme https, :path /, and :authority "a" as a literal.
    static let getBlock: [UInt8] = [0x82, 0x87, 0x84, 0x01, 0x01, UInt8(ascii: "a")]

    static func reset(_ stream: Int32) -> [UInt8] {
        frame(0x3, stream: stream, [0, 0, 0, 8])
    }
}
