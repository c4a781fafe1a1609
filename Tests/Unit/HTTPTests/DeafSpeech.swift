import Crypto
import Foundation
import TestSupport
@testable import HTTP

/// The requests of a client that does not read its answers, in one protocol.
enum DeafSpeech: CaseIterable {
    case http1, http2, webSocket

    var applicationProtocol: ApplicationProtocol { self == .http2 ? .http2 : .http1 }

    /// Sends what comes before the first request and reads the answer to that.
    func begin(_ client: RawSocket) throws {
        switch self {
        case .http1: break
        case .http2:
            client.send(HTTP2Wire.opening)
            let acknowledgement = HTTP2Wire.frame(0x4, flags: 1)
            var received: [UInt8] = []
            while !received.ends(with: acknowledgement) {
                guard let bytes = client.next() else { throw POSIXError(.EPROTO) }
                received += bytes
            }
        case .webSocket:
            client.send(UpgradeRequest(target: "/socket").text)
            guard client.head().hasPrefix("HTTP/1.1 101 ") else { throw POSIXError(.EPROTO) }
        }
    }

    /// A request whose answer has thousands of bytes.
    var beginning: [UInt8] {
        switch self {
        case .http1: []
        // A frame of an unknown kind.
        case .http2: [0, 0x3F, 0xFF, 0xEE, 0, 0, 0, 0, 0]
        case .webSocket: [0x82, 0xFE, 0x3F, 0xFF, 1, 2, 3, 4]
        }
    }

    /// A request that is answered at once; `number` counts from 1.
    func request(_ number: Int) -> [UInt8] {
        switch self {
        case .http1: Array("GET /a HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        case .http2: HTTP2Wire.get(Int32(2 * number - 1))
        case .webSocket: ConformanceFrame.ping("\(number)").bytes(masked: true)
        }
    }
}

extension [UInt8] {
    fileprivate func ends(with other: [UInt8]) -> Bool { suffix(other.count).elementsEqual(other) }
}
