import Base

/// A message of a push service, as its user agent reads it. Other services than ours may name user
/// agents and messages as they like.
package enum ServiceMessage: Sendable {
    case hello(userAgent: String, AutopushExtensions)
    /// The endpoint is present only with status 200.
    case registered(ChannelID, status: Int, endpoint: String?)
    case unregistered(ChannelID, status: Int)
    case notification(ReceivedNotification)
    case withdrawn(ChannelID, version: String)
    /// The answer to a ping.
    case pong
    /// A message that is not used here, such as a broadcast.
    case other

    package struct Unreadable: Error {}

    /// Firefox accepts user agent ids up to this length.
    private static let nameLimit = 128

    /// Reads the text of one message.
    package init(_ payload: Span<UInt8>) throws(Unreadable) {
        guard let root = try? JSONDocument(payload.array(payload.indices)).root,
            root.kind == .object
        else { throw Unreadable() }
        switch root["messageType"]?.text {
        case "hello":
            guard root["status"]?.integer == 200, let name = root["uaid"]?.text,
                (1...Self.nameLimit).contains(name.utf8.count)
            else { throw Unreadable() }
            let granted = root["extensions"]?.elements.compactMap(\.text) ?? []
            self = .hello(
                userAgent: name,
                granted.reduce(into: []) { $0.formUnion(AutopushExtensions(Array($1.utf8).span)) })
        case "register":
            let (channel, status) = try Self.answer(root)
            let endpoint = status == 200 ? root["pushEndpoint"]?.text : nil
            self = .registered(channel, status: status, endpoint: endpoint)
        case "unregister":
            let (channel, status) = try Self.answer(root)
            self = .unregistered(channel, status: status)
        case "notification": self = try Self.notification(root)
        case nil where root.members.isEmpty, "ping": self = .pong
        default: self = .other
        }
    }

    private static func answer(_ root: JSONNode) throws(Unreadable) -> (ChannelID, Int) {
        guard let channel = channel(root), let status = root["status"]?.integer else {
            throw Unreadable()
        }
        return (channel, Int(status))
    }

    private static func channel(_ root: JSONNode) -> ChannelID? {
        guard let text = root["channelID"]?.text else { return nil }
        return Bits128(uuid: Array(text.utf8).span).map { ChannelID($0) }
    }

    private static func notification(_ root: JSONNode) throws(Unreadable) -> ServiceMessage {
        guard let channel = channel(root), let version = root["version"]?.textOrNumber,
            !version.isEmpty
        else { throw Unreadable() }
        if root["withdrawn"]?.bool == true { return .withdrawn(channel, version: version) }
        guard let message = ReceivedNotification(root, channel, version) else { throw Unreadable() }
        return .notification(message)
    }
}

/// One delivery of a message, as a user agent receives it. It is a class because it is passed on in
/// events.
package final class ReceivedNotification: Sendable, Confidential {
    package let channel: ChannelID
    /// The service's identifier of the message, the same in every delivery.
    package let version: String
    package let data: [UInt8]
    /// The encryption of the data, if the service states it.
    package let encoding: String?
    package let encryption: String?
    package let cryptoKey: String?
    // Only services with these extensions send these members.
    package let ttl: UInt32?
    package let urgency: Urgency?

    fileprivate init?(_ root: JSONNode, _ channel: ChannelID, _ version: String) {
        self.channel = channel
        self.version = version
        let text = root["data"]?.text ?? ""
        guard let data = Base64URL.decodeToleratingPadding(Array(text.utf8).span) else {
            return nil
        }
        self.data = data
        let headers = root["headers"]
        encoding = headers?["encoding"]?.text
        encryption = headers?["encryption"]?.text
        cryptoKey = headers?["crypto_key"]?.text
        ttl = root["ttl"]?.integer.flatMap { UInt32(exactly: $0) }
        urgency = root["urgency"]?.text.flatMap { Urgency(rawValue: $0) }
    }

    /// The body for applications that get nothing else: the fields that `aesgcm` needs come first,
    /// in three lines, as UnifiedPush gateways write them.
    package var body: [UInt8] {
        guard encoding == "aesgcm", let encryption, let cryptoKey else { return data }
        return Array("aesgcm\nEncryption: \(encryption)\nCrypto-Key: \(cryptoKey)\n".utf8) + data
    }
}

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
