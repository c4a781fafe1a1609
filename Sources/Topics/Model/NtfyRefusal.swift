import Base

/// Why a request in ntfy's language is refused, by the numbers that ntfy's clients know.
///
/// The text says what is wrong in general, and never what the request held.
package struct NtfyRefusal: Error, Equatable, Sendable {
    package let code: Int
    package let text: String

    private init(_ code: Int, _ text: String) { (self.code, self.text) = (code, text) }

    /// The status of the answer: the first three digits of the number.
    package var http: Int { code / 100 }

    /// The same refusal with its reason, which is a text of the program.
    package func because(_ reason: String) -> NtfyRefusal {
        NtfyRefusal(code, text + "; " + reason)
    }

    /// The body of the answer. There are no other members, because some clients fail on them.
    package var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("code", code)
            writer.member("http", http)
            writer.member("error", text)
        }
        return writer.bytes
    }
}

/// What is wrong with what is published.
extension NtfyRefusal {
    package static let invalid = NtfyRefusal(40000, "invalid request")
    package static let noEmail = NtfyRefusal(40001, "this server sends no e-mail")
    package static let delayedUnkept = NtfyRefusal(
        40002, "a delayed message has to be kept: cache cannot be off")
    package static let badDelay = NtfyRefusal(40004, "invalid delay: not a time or a duration")
    package static let shortDelay = NtfyRefusal(40005, "invalid delay: too short")
    package static let longDelay = NtfyRefusal(40006, "invalid delay: too long")
    package static let badPriority = NtfyRefusal(40007, "invalid priority")
    package static let badTopic = NtfyRefusal(40009, "invalid topic")
    package static let reservedTopic = NtfyRefusal(40010, "invalid topic: the name is reserved")
    package static let notText = NtfyRefusal(40011, "invalid message: not UTF-8")
    package static let badLink = NtfyRefusal(40013, "invalid attachment: not a web address")
    package static let noAttachments = NtfyRefusal(40014, "this server keeps no attachments")
    package static let badMessage = NtfyRefusal(40017, "invalid message: not the expected JSON")
    package static let badActions = NtfyRefusal(40018, "invalid actions")
    package static let badIcon = NtfyRefusal(40021, "invalid icon: not a web address")
    package static let badJSON = NtfyRefusal(40024, "invalid request: the body is not valid JSON")
    package static let noCalls = NtfyRefusal(40032, "this server makes no calls")
    package static let longTemplateText = NtfyRefusal(40041, "the template's text is too long")
    package static let templateNeedsJSON = NtfyRefusal(
        40042, "a template needs a body of valid JSON")
    package static let badTemplate = NtfyRefusal(40043, "invalid template")
    package static let forbiddenTemplate = NtfyRefusal(
        40044, "invalid template: call, template and define are not allowed")
    package static let failedTemplate = NtfyRefusal(40045, "the template failed")
    package static let unknownTemplate = NtfyRefusal(40047, "unknown template")
    package static let badSequence = NtfyRefusal(40049, "invalid sequence id")
    package static let longTitle = NtfyRefusal(40057, "the title is too long")
    package static let longTags = NtfyRefusal(40058, "the tags are too long")
    package static let badQuestion = NtfyRefusal(40091, "invalid question")
    package static let badAnswer = NtfyRefusal(40092, "invalid answer")
    package static let noAskingStrangers = NtfyRefusal(
        40391, "forbidden: who asks a question needs a credential")
    package static let noQuestion = NtfyRefusal(40491, "no such question")
    package static let otherQuestion = NtfyRefusal(
        40991, "the number is not that of this question")
    package static let askedOtherwise = NtfyRefusal(
        40992, "this sequence id was used for another question")
    package static let openQuestion = NtfyRefusal(
        40993, "an open question cannot be changed; withdraw it by DELETE /v1/questions/ID")
    package static let tooManyQuestions = NtfyRefusal(
        42991, "too many open questions at this topic")
    package static let largeAttachment = NtfyRefusal(41301, "the attachment is too large")
    package static let largeJSON = NtfyRefusal(41303, "the JSON body is too large")
}

/// What is wrong with other requests.
extension NtfyRefusal {
    package static let badSince = NtfyRefusal(40008, "invalid since")
    package static let noSignUp = NtfyRefusal(40022, "this server takes no sign-up")
    package static let noToken = NtfyRefusal(40023, "no such token")
    package static let noUpgrade = NtfyRefusal(40016, "the client does not speak WebSocket")
    package static let unauthorized = NtfyRefusal(40101, "unauthorized")
    package static let forbidden = NtfyRefusal(40301, "forbidden")
    package static let notFound = NtfyRefusal(40401, "page not found")
}

/// What may pass when it is tried again.
extension NtfyRefusal {
    package static let tooManyRequests = NtfyRefusal(42901, "too many requests")
    package static let tooManyTopics = NtfyRefusal(42904, "too many topics")
    package static let failed = NtfyRefusal(50001, "internal error")
    /// Other nodes have stored something that this one lacks.
    package static let behind = NtfyRefusal(50301, "the server is catching up")
    /// A number of the 5xx, because application servers forget a subscription after any other.
    package static let noSubscriber = NtfyRefusal(50701, "nobody has subscribed to this topic")
    package static let fullDisk = NtfyRefusal(50702, "the disk is full")
}
