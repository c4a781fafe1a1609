import Base

/// A homeserver that sends one event after the other to the gateway, in the form of Synapse.
final class MatrixPublisher: HTTPPublisher {
    /// The part before the stamp, which makes each event different. Its length is a multiple of
    /// three, so that the stamp is encoded separately in base64.
    private static let start = #"{"notification":{"event_id":"$"#
    private static let afterStamp = Array(
        (#"Ys0ZqTf0","id":"$Rs-SSldYgf083ugaT1vsjNT7je2XW2FfM4b7V06mq2k","prio":"high","#
            + #""content":{"body":"Shall we meet at seven?","format":"org.matrix.custom.html","#
            + #""formatted_body":"<b>Shall</b> we meet at seven?","msgtype":"m.text"},"#
            + #""counts":{"unread":1},"room_id":"!Gh5zfBh0QeZW2dpq3PwzJPYvMi9V0OrOFqIwW6g2Tm8","#
            + #""room_name":"Office","sender":"@ann:home.test","sender_display_name":"ann","#
            + #""type":"m.room.message","devices":[{"app_id":"org.example.client","data":{},"#
            + #""pushkey":"https://localhost:"#).utf8)
    private static let end = Array(
        #"","pushkey_ts":1795282969,"tweaks":{"highlight":false,"sound":"default"}}]}}"#.utf8)

    override func publish(_ body: [UInt8], to destination: [UInt8]) {
        var notification = Array(Self.start.utf8)
        Base64URL.append(body.span.extracting(0..<StampedBody.stampLength), to: &notification)
        notification += Self.afterStamp
        notification += "\(load.options.port)".utf8
        notification += destination
        notification += Self.end
        let head = [
            "POST /_matrix/push/v1/notify HTTP/1.1",
            "Host: \(LoadConnection.host):\(load.options.port)",
            "Content-Type: application/json", "Content-Length: \(notification.count)", "", "",
        ]
        send(Array(head.joined(separator: "\r\n").utf8) + notification)
    }

    /// The stamp of a notification that starts there in base64url; nil if it has none.
    static func stamp(ofEncoded message: Span<UInt8>, at data: Int) -> StampedBody.Stamp? {
        let stamp = data + start.utf8.count / 3 * 4
        // Its 24 characters, encoded once more.
        guard message.count - stamp >= 32,
            let text = Base64URL.decode(message.extracting(stamp..<stamp + 32))
        else { return nil }
        return StampedBody.stamp(ofEncoded: text.span, at: 0)
    }
}
