import Base
package import Mailbox

/// The URLs that the server hands out.
extension PushServiceSettings {
    package func endpoint(_ token: EndpointToken, isBound: Bool) -> [UInt8] {
        var url = Array(baseURL.description.utf8)
        url.append(contentsOf: isBound ? "/wpush/v2/" : "/wpush/v1/")
        let bytes = token.bytes
        Base64URL.append(bytes.span, to: &url)
        return url
    }
}
