package import WebPush

/// Where the status page is wanted.
package enum PageChoice: Equatable, Sendable {
    case auto, off
    case own(Origin)

    init(_ text: String) throws(ConfigurationError) {
        switch text {
        case "auto": self = .auto
        case "off": self = .off
        default: self = .own(try BaseURL(alias: text).origin)
        }
    }
}
