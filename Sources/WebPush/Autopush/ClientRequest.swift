import Base

/// Messages of a user agent to its push service, appended to a buffer.
package enum ClientRequest {
    /// The first message. `userAgent` is the identifier that the service gave earlier, if any.
    package static func appendHello(_ userAgent: String?, to output: inout [UInt8]) {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("messageType", "hello")
            writer.member("use_webpush", true)
            if let userAgent { writer.member("uaid", userAgent) }
            writer.name("broadcasts")
            writer.object { _ in }
            writer.name("extensions")
            writer.array { writer in
                for (_, word) in AutopushExtensions.words { writer.string("\(word)") }
            }
        }
        output.append(contentsOf: writer.bytes)
    }

    /// `key`: the key that pushes have to be signed with, in base64url.
    package static func appendRegister(
        _ channel: ChannelID, key: String?, to output: inout [UInt8]
    ) {
        begin("register", channel, &output)
        if let key {
            output.append(contentsOf: #","key":"#)
            output.append(contentsOf: JSONText.quoted(key).utf8)
        }
        output.append(UInt8(ascii: "}"))
    }

    /// Code 200: the application or its user asked for it.
    package static func appendUnregister(_ channel: ChannelID, to output: inout [UInt8]) {
        begin("unregister", channel, &output)
        output.append(contentsOf: #","code":200}"#)
    }

    /// A message was handled; `isDelivered` is for statistics only.
    package static func appendAcknowledgement(
        _ channel: ChannelID, version: String, isDelivered: Bool, to output: inout [UInt8]
    ) {
        output.append(contentsOf: #"{"messageType":"ack","updates":[{"channelID":""#)
        channel.bits.appendUUID(to: &output)
        output.append(contentsOf: #"","version":"#)
        output.append(contentsOf: JSONText.quoted(version).utf8)
        output.append(contentsOf: isDelivered ? #","code":100}]}"# : #","code":102}]}"#)
    }

    package static func appendUrgency(_ least: Urgency, to output: inout [UInt8]) {
        ServerMessage.appendUrgency(least, to: &output)
    }

    /// The answer is the same message.
    package static func appendPing(to output: inout [UInt8]) { output.append(contentsOf: "{}") }

    private static func begin(
        _ type: StaticString, _ channel: ChannelID, _ output: inout [UInt8]
    ) {
        output.append(contentsOf: #"{"messageType":""#)
        output.append(contentsOf: type)
        output.append(contentsOf: #"","channelID":""#)
        channel.bits.appendUUID(to: &output)
        output.append(UInt8(ascii: "\""))
    }
}
