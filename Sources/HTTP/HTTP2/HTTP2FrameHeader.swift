/// The nine bytes before each frame (RFC 9113 section 4.1).
struct HTTP2FrameHeader: Equatable, Sendable {
    /// The numbers of RFC 9113 section 6 and RFC 9218 section 7.1.
    enum Kind {
        static let data: UInt8 = 0x0
        static let headers: UInt8 = 0x1
        static let priority: UInt8 = 0x2
        static let reset: UInt8 = 0x3
        static let settings: UInt8 = 0x4
        static let ping: UInt8 = 0x6
        static let goAway: UInt8 = 0x7
        static let windowUpdate: UInt8 = 0x8
        static let continuation: UInt8 = 0x9
        static let priorityUpdate: UInt8 = 0x10
    }

    static let byteCount = 9

    let length: Int
    let kind: UInt8
    let flags: UInt8
    let stream: HTTP2StreamID

    init(_ bytes: Span<UInt8>) {
        length = Int(bytes[0]) << 16 | Int(bytes[1]) << 8 | Int(bytes[2])
        kind = bytes[3]
        flags = bytes[4]
        let number =
            UInt32(bytes[5]) << 24 | UInt32(bytes[6]) << 16 | UInt32(bytes[7]) << 8
            | UInt32(bytes[8])
        stream = HTTP2StreamID(number & 0x7FFF_FFFF)
    }

    /// END_STREAM of DATA and HEADERS.
    var endsStream: Bool { flags & 0x1 != 0 }
    /// END_HEADERS of HEADERS and CONTINUATION.
    var endsHeaders: Bool { flags & 0x4 != 0 }

    /// Whether a frame that should carry something carries nothing. `hasBody`: it brought data. The
    /// length of padding is one byte, so a longer frame costs the peer real traffic.
    func isEmpty(hasBody: Bool) -> Bool {
        switch kind {
        case Kind.data: !endsStream && (length == 0 || isPadded && length <= 256 && !hasBody)
        case Kind.headers, Kind.continuation: length == 0
        default: false
        }
    }

    private var isPadded: Bool { flags & 0x8 != 0 }
}
