import Base

/// Why a request in Gotify's language is refused.
///
/// The text says what is wrong in general, and never what the request held.
package struct GotifyRefusal: Error, Equatable, Sendable {
    package let status: Int
    package let text: String

    private init(_ status: Int, _ text: String) { (self.status, self.text) = (status, text) }

    /// The same refusal as clients of ntfy get.
    package init(ntfy refusal: NtfyRefusal) { self.init(refusal.http, refusal.text) }

    /// Gotify knows no other answer to a credential that cannot be read.
    package init(_ refusal: AccessRefusal) {
        self.init(ntfy: refusal == .badEncoding ? .unauthorized : NtfyRefusal(refusal))
    }

    /// RFC 9110 section 15, in the words that Gotify's clients know.
    private var phrase: String {
        switch status {
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 409: "Conflict"
        case 413: "Request Entity Too Large"
        case 429: "Too Many Requests"
        case 503: "Service Unavailable"
        case 507: "Insufficient Storage"
        default: "Internal Server Error"
        }
    }

    /// The body of the answer.
    package var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("error", phrase)
            writer.member("errorCode", status)
            writer.member("errorDescription", text)
        }
        return writer.bytes
    }
}

extension GotifyRefusal {
    package static let badBody = GotifyRefusal(400, "the body cannot be read")
    package static let badID = GotifyRefusal(400, "invalid id")
    package static let noPicture = GotifyRefusal(
        400, "the form needs a field 'file' with a picture: PNG, JPEG, GIF or WebP")

    /// `name` is a word of the program.
    static func missing(_ name: StaticString) -> GotifyRefusal {
        GotifyRefusal(400, "Field '\(name)' is required")
    }

    static func bad(_ name: StaticString) -> GotifyRefusal {
        GotifyRefusal(400, "Field '\(name)' is not valid")
    }

    package static let unknownPath = GotifyRefusal(404, "page not found")
    package static let unknownMessage = GotifyRefusal(404, "there is no such message")
    package static let unknownApplication = GotifyRefusal(404, "there is no such application")
    package static let unknownClient = GotifyRefusal(404, "there is no such client")
    /// What Gotify does, and this server does elsewhere or not at all: users and their passwords.
    package static let notHere = GotifyRefusal(403, "this is not managed here")
    package static let tooLarge = GotifyRefusal(413, "the body is too large")
    package static let unavailable = GotifyRefusal(503, "try again later")
}
