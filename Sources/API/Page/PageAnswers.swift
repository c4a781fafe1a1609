import Base
import HTTP
import PushService
import StatusPage

/// The answers of the status page.
extension HTTPExchange {
    private static let policy: StaticString = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
        connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'
        """

    func show(_ html: [UInt8], status: Int = 200) {
        var head = pageHead(status)
        head.fields.append("Content-Type", "text/html; charset=utf-8")
        head.fields.append("Cache-Control", "no-store")
        respond(consume head, body: html)
    }

    func show(live json: [UInt8]) {
        var head = pageHead(200)
        head.fields.append("Content-Type", "application/json")
        head.fields.append("Cache-Control", "no-store")
        respond(consume head, body: json)
    }

    func show(_ file: PageFile) {
        var head = pageHead(200)
        head.fields.append("Content-Type", file.type)
        // They belong to the running version.
        head.fields.append("Cache-Control", "no-cache")
        respond(consume head, body: Array(file.text.utf8))
    }

    /// For somebody who has no session, or none that counts here.
    func show(error status: Int) {
        let reason: FailurePage.Reason = status == 403 ? .foreign : .place
        show(FailurePage(PageFrame(language: language), reason).html, status: status)
    }

    /// After a form, so that a reload does not send it again.
    func goOn(to path: String, cookie: String? = nil) {
        var head = pageHead(303)
        head.fields.append("Location", path)
        head.fields.append("Cache-Control", "no-store")
        if let cookie { head.fields.append("Set-Cookie", cookie) }
        respond(consume head)
    }

    private func pageHead(_ status: Int) -> ResponseHead {
        var head = answer(status)
        head.fields.append("Content-Security-Policy", Self.policy)
        head.fields.append("X-Content-Type-Options", "nosniff")
        // Without a referrer, browsers would send no origin with a form.
        head.fields.append("Referrer-Policy", "same-origin")
        head.fields.append("Cross-Origin-Opener-Policy", "same-origin")
        head.fields.append("Cross-Origin-Resource-Policy", "same-origin")
        return head
    }

    /// Whether the body is what a browser sends for a form.
    var isForm: Bool { hasType("application/x-www-form-urlencoded") }
}
