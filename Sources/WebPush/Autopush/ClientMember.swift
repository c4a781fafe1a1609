import Base

/// The members of a user agent's messages that this service reads.
enum ClientMember: Int {
    case messageType
    case uaid
    case channelID
    case key
    case version
    case code
    case updates
    case channelIDs
    case broadcasts
    case extensions
    case useWebPush
    case min
    case unknown

    /// Compares lengths first, which tells most names apart.
    init(_ name: Span<UInt8>) {
        switch name.count {
        case 3 where name.elementsEqual("key"): self = .key
        case 3 where name.elementsEqual("min"): self = .min
        case 4 where name.elementsEqual("code"): self = .code
        case 4 where name.elementsEqual("uaid"): self = .uaid
        case 7 where name.elementsEqual("version"): self = .version
        case 7 where name.elementsEqual("updates"): self = .updates
        case 9 where name.elementsEqual("channelID"): self = .channelID
        case 10 where name.elementsEqual("channelIDs"): self = .channelIDs
        case 10 where name.elementsEqual("broadcasts"): self = .broadcasts
        case 10 where name.elementsEqual("extensions"): self = .extensions
        case 11 where name.elementsEqual("messageType"): self = .messageType
        case 11 where name.elementsEqual("use_webpush"): self = .useWebPush
        default: self = .unknown
        }
    }
}
