/// The files that the pages load.
package enum PageFile: String, CaseIterable, Sendable {
    case script = "/ui/script.js"
    case inboxScript = "/ui/inbox.js"
    case passkeyScript = "/ui/passkey.js"
    case style = "/ui/style.css"
    case icon = "/ui/icon.svg"

    package var type: StaticString {
        switch self {
        case .script, .inboxScript, .passkeyScript: "text/javascript; charset=utf-8"
        case .style: "text/css; charset=utf-8"
        case .icon: "image/svg+xml"
        }
    }

    package var text: String {
        switch self {
        case .script: Self.scriptText
        case .inboxScript: Self.inboxScriptText
        case .passkeyScript: Self.passkeyScriptText
        case .style: Self.styleText
        case .icon: Self.iconText
        }
    }

    private static let iconText = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">\
        <path fill="#1d5fa8" d="M16 2a3 3 0 0 0-3 3v1a9 9 0 0 0-6 8.500V21l-3 4v1h24v-1l-3-4v-6.500\
        A9 9 0 0 0 19 6V5a3 3 0 0 0-3-3zM12 28a4 4 0 0 0 8 0z"/></svg>

        """
}
