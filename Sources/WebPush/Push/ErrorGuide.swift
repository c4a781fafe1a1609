import Base

/// What `docs/errors.md` says about each number, for the page that errors lead to. A test compares
/// the two.
package enum ErrorGuide {
    /// The columns of both tables.
    static let titles = ["errno", "status", "message", "cause", "what to do"]

    package static let pushes = #"""
        | <a id="errno-102"></a>102 | 404 | `Invalid token` | the endpoint is not from this \#
        service, or damaged | subscribe again |
        | | 404 | `Invalid API version` | the path names a version other than v1 and v2 | use the \#
        endpoint exactly as you got it |
        | <a id="errno-104"></a>104 | 413 | `Request body is too large` | more than 5,630 bytes; \#
        more than 64 KiB for the webhook of a service | send at most 4,096 bytes of text; let the \#
        client fetch the rest |
        | <a id="errno-106"></a>106 | 410 | `No such subscription` | unsubscribed, revoked or \#
        expired | delete the endpoint |
        | <a id="errno-109"></a>109 | 401 | `Missing VAPID token`, `Missing VAPID public key` | \#
        the endpoint requires a signature, or a part of the signature is missing | sign with the \#
        key that the subscription was made with |
        | | 401 | `Unknown auth scheme`, `Invalid VAPID token: the Authorization header cannot be \#
        read` | Authorization is not `vapid t=…, k=…` | see RFC 8292 section 3 |
        | | 401 | `Invalid VAPID token: not a signed JSON Web Token`, `Invalid VAPID token: \#
        InvalidAlgorithm`, `Invalid VAPID token: InvalidSignature` | the token needs three parts, \#
        ES256 and the right key | check how you make the token |
        | | 401 | `Invalid VAPID token: exp is missing or not a number`, `Invalid VAPID token: \#
        ExpiredSignature`, `The VAPID token expiration is too long` | exp lies in the past, or \#
        more than 24 hours ahead | make a new token; set the clock |
        | | 401 | `Invalid VAPID public key: not a point of P-256 in base64url`, `VAPID public \#
        key mismatch` | not a key, or not the key of the subscription | sign with the key that \#
        the subscription was made with |
        | | 401 | `Invalid VAPID audience` | aud is not the origin of the endpoint | use scheme, \#
        host and port of the endpoint |
        | | 503 | `The clocks of sender and push service differ` | exp is wrong by less than an \#
        hour, or the server's clock is not set | set the clocks; then send the push again |
        | | 503 | `The VAPID audience is not configured here` | the endpoint's host name leads to \#
        this server, but is neither `base-url` nor an `alias` | the operator adds it as `alias` |
        | <a id="errno-110"></a>110 | 400 | `Missing Content-Encoding header`, `Unknown \#
        Content-Encoding header` | the body must be declared as `aes128gcm` or `aesgcm` | encrypt \#
        it (RFC 8291) |
        | | 400 | `Missing Encryption header`, `Invalid Encryption header`, `Missing salt value \#
        in Encryption header`, `Invalid salt value in Encryption header` | aesgcm needs a salt in \#
        base64url in the field Encryption | see draft-ietf-webpush-encryption-04 |
        | | 400 | `Invalid Crypto-Key header`, `Missing dh value in Crypto-Key header`, `Invalid \#
        dh value in Crypto-Key header` | aesgcm needs the sender's key in the field Crypto-Key | \#
        see draft-ietf-webpush-encryption-04 |
        | | 400 | `Do not include 'salt' header in aes128gcm Encryption header`, `Do not include \#
        'dh' header in aes128gcm Crypto-Key header` | the fields do not belong to the encoding in \#
        Content-Encoding | update the sender's library |
        | | 400 | `The same key signs and encrypts` | the aes128gcm body was encrypted with the \#
        key that signs (RFC 8292) | encrypt with a new key for each message |
        | | 400 | `Missing Crypto-Key header`, `Missing p256ecdsa in Crypto-Key header` | the \#
        older schemes WebPush and Bearer need the signer's key in the field Crypto-Key | use the \#
        scheme `vapid` |
        | <a id="errno-111"></a>111 | 400 | `Missing TTL value` | TTL is missing or not a number \#
        | say how many seconds the push should be kept |
        | <a id="errno-113"></a>113 | 400 | `topic: Topic must be no greater than 32 characters`, \#
        `topic: Topic must be URL and Filename safe Base64 alphabet` | RFC 8030 does not allow \#
        this topic | use a hash of it |
        | <a id="errno-114"></a>114 | 400 | `ttl: TTL must be greater than 0` | TTL is negative; \#
        0 is allowed | 0 means "deliver now or never" |
        | <a id="errno-201"></a>201 | 429 | `Too many pushes, try again later` | a quota is \#
        reached, or the messages waiting for a silent client fill its room | wait as long as \#
        `Retry-After` says |
        | | 503 | `Database error while saving notification` | the store is busy, full or broken \#
        | wait as long as `Retry-After` says |
        | | 503 | `The server was restored from a backup and does not know this subscription` | \#
        the endpoint may be newer than the backup ([backup.md](backup.md)) | wait as long as \#
        `Retry-After` says; 30 days after the restore the answer is 410 |
        | | 503 | `The server crashed on this push twice, and refuses it until its next update` | \#
        this push crashed the server twice | the operator sees it with `bellwire check`; it is \#
        tried again after an update |
        | <a id="errno-1025"></a>1025 | 400 | `The body is not UTF-8 text` | an unencrypted push \#
        to an endpoint for plain text, such as `bellwire topic add` makes, is shown as it is, and \#
        this one cannot be | send text in UTF-8, or JSON with `message` |
        | <a id="errno-1028"></a>1028 | 400 | `Delay, At and In cannot be used: a push is shown at \#
        once`, `Priority must be 1 to 5, or min, low, default, high, max or urgent`, `A form may \#
        have the texts message, title, priority, tags and click, and no file`, `The body is \#
        declared as application/json, but it is not JSON`, `The body is JSON, but nested too \#
        deep` | an unencrypted push to an address for scripts would mean something else if this were ignored | leave it out, or correct it |
        | <a id="errno-null"></a>null | 400 | `Invalid message ID` | `DELETE /m/…` with an id \#
        that this server never made | use the `Location` of the answer to the push |
        """#

    package static let requests = #"""
        | <a id="errno-1000"></a>1000 | 400 | says what is wrong | the body is not a JSON object, \#
        has unknown members, or is not declared as `application/json` | correct it |
        | <a id="errno-1001"></a>1001 | 403 | `this user has no rights here` | the caller is \#
        neither root nor the service's own user, and `local-users` is off; or the request names \#
        another owner | ask as an administrator |
        | <a id="errno-1002"></a>1002 | 404 | `it does not exist, or belongs to somebody else` | \#
        a wrong number, id or path | `bellwire device list`, `bellwire registration list` |
        | <a id="errno-1003"></a>1003 | 409 | `this owner already has a device or a token with that \#
        name` | each name is used only once for an owner | choose another name, or remove the former |
        | <a id="errno-1036"></a>1036 | 409 | `somebody else has this token` | a token of another \#
        server was taken over by another owner | make a new one: `bellwire token add` |
        | <a id="errno-1028"></a>1028 | 409 | `a topic with that name already exists` | the \#
        owner has a topic of that name, or the name is open and another owner has it | choose \#
        another name |
        | <a id="errno-1020"></a>1020 | 409 | `this owner already has 100 devices` | 100 is the \#
        limit | remove devices that are not used |
        | <a id="errno-1030"></a>1030 | 409 | `this owner already has 1000 tokens` | 1,000 is the \#
        limit | `bellwire token list`, and remove what is not used |
        | <a id="errno-1021"></a>1021 | 409 | `an owner with that name already exists` | the \#
        owner exists already | |
        | <a id="errno-1022"></a>1022 | 409 | `this owner has reached its limit of registrations \#
        or callbacks` | the limits in [limits.md](limits.md); administrators may make more for an \#
        owner | `bellwire registration list`, and revoke what is not used |
        | <a id="errno-1023"></a>1023 | 429 | `too many requests with an Idempotency-Key within a \#
        day` | no more answers can be kept ([limits.md](limits.md)) | try later, or without a key \#
        |
        | <a id="errno-1009"></a>1009 | 400 | `callback` and what is wrong with it | this caller \#
        may not use that target: see [callbacks.md](callbacks.md) | name another target; \#
        `callback-allow` permits networks of your own |
        | <a id="errno-1038"></a>1038 | 400 | `endpoint` and what is wrong with it | a forward \#
        may not go there: see [forwards.md](forwards.md) | name another endpoint; \#
        `callback-allow` permits networks of your own |
        | <a id="errno-1039"></a>1039 | 409 | `this owner has reached its limit of forwards` | \#
        the limits in [limits.md](limits.md) | `bellwire forward list`, and remove what is not \#
        used |
        | <a id="errno-1040"></a>1040 | 403 | `this is not the code that was pushed there` | a \#
        forward is confirmed by the code of its first push | ask whoever has the subscription |
        | <a id="errno-1004"></a>1004 | 503 | `the store does not answer; try again later` | the \#
        store is busy, full or broken | see the server's log |
        | | 503 | `the server crashed on this twice, and refuses it until its next update` | this \#
        request crashed the server twice | `bellwire check` shows it; it is tried again after an \#
        update |
        | <a id="errno-1005"></a>1005 | 401 | `the bearer secret of a device is needed` | \#
        `Authorization: Bearer …` is missing, or no device has that secret | `bellwire device \#
        add` prints the secret |
        | <a id="errno-1029"></a>1029 | 403 | `this device can only receive` | the secret is of a \#
        device that was added with `--receive-only` | add a device without this option, and use \#
        its secret |
        | <a id="errno-1024"></a>1024 | 503 | `the server was restored from a backup; this device \#
        is not confirmed yet` | the device may have been removed after the backup was made | an \#
        administrator runs `bellwire device confirm` |
        | <a id="errno-1026"></a>1026 | 503 | `another export is under way, or has just ended; \#
        try again later` | the server makes one export at a time, and gives itself ten seconds \#
        after those of users | ask again |
        | <a id="errno-1027"></a>1027 | 409 | says why there is no status page | `ui = off`, or \#
        base-url has a path, so that other pages of its site could use the session | name an \#
        origin of its own: `ui = https://HOST` |
        | <a id="errno-1006"></a>1006 | 409 | `this Idempotency-Key was used for another request` \#
        | the same key was sent with another body within 24 hours | use a new key for each new \#
        request |
        | <a id="errno-1031"></a>1031 | 409 | `this sequence id was used for another question` | \#
        the same caller asked something else at this topic under this name | use a new name for \#
        each question |
        | <a id="errno-1032"></a>1032 | 429 | `too many open questions at this topic` | 100 are \#
        open, or 50 of this caller ([limits.md](limits.md)) | wait for answers, or withdraw some |
        | <a id="errno-1037"></a>1037 | 429 | `there is no room for it now; try again later` | a \#
        quota of messages is reached ([limits.md](limits.md)) | wait as long as `Retry-After` says |
        | <a id="errno-1007"></a>1007 | 403 | `requests from pages of other sites are refused` | \#
        a browser says that the request comes from another site | send the request from a program \#
        |
        | <a id="errno-1008"></a>1008 | 409 | `the master key cannot be replaced now; the \#
        server's log says why`, or the reason | the previous rotation has not finished, or the key \#
        is a credential of systemd; in a [cluster](cluster.md#another-master-key), a node does not \#
        have the new key | do what the reason says; wait for `store-resealed` in the log; where it \#
        says `former-key-kept`, do what its hint says; replace the credential |
        """#
}

/// The page on which the server explains its errors. `more_info` leads there.
package struct ErrorPage: Equatable, Sendable {
    /// Below base-url.
    package static let path = "/errors"

    private let address: String

    /// `base` is where senders reach the server, without a slash at the end.
    package init(base: String) { address = base + Self.path }

    /// Where a number is explained.
    package func place(of number: Int?) -> String {
        address + "#errno-" + (number.map(String.init) ?? "null")
    }

    /// Where it is explained how requests are answered that no number fits.
    package var placeOfMalformed: String { address + "#http" }

    package static let html = """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <title>Errors of Bellwire</title>
        </head>
        <body>
        <h1>Errors of Bellwire</h1>
        <p>An error is JSON. Its member <code>errno</code> is a number from this page.</p>
        <h2>Pushes</h2>
        \(table(ErrorGuide.pushes))
        <p id="http">If a request cannot be read at all, <code>errno</code> is null, and the message \
        is a word for the problem.</p>
        <h2>The API and the control socket</h2>
        \(table(ErrorGuide.requests))
        </body>
        </html>

        """

    private static func table(_ rows: String) -> String {
        let titles = ErrorGuide.titles.map { "<th>\($0)</th>" }.joined()
        let lines = rows.split(separator: "\n").map { row in
            let cells = row.dropFirst().dropLast().split(
                separator: "|", omittingEmptySubsequences: false)
            return "<tr>" + cells.map { "<td>\(cell($0.dropFirst().dropLast()))</td>" }.joined()
                + "</tr>"
        }
        return
            "<table border=\"1\">\n<tr>\(titles)</tr>\n\(lines.joined(separator: "\n"))\n</table>"
    }

    /// Markdown as HTML: anchors, code, and the names of files instead of links to them.
    private static func cell(_ text: Substring) -> String {
        var html = ""
        var rest = text
        var isCode = false
        while let character = rest.popFirst() {
            switch character {
            case "`":
                html += isCode ? "</code>" : "<code>"
                isCode.toggle()
            case "<" where rest.hasPrefix("a id="):
                let end = rest.firstIndex(of: ">") ?? rest.endIndex
                html += "<" + rest[..<end] + ">"
                rest = rest[end...].dropFirst()
            case "<" where rest.hasPrefix("/a>"):
                html += "</a>"
                rest = rest.dropFirst(3)
            case "[" where !isCode:
                guard let end = rest.firstIndex(of: "]"), let close = rest.firstIndex(of: ")")
                else { continue }
                html += "docs/" + rest[..<end]
                rest = rest[close...].dropFirst()
            default: html += Printable.markup(String(character))
            }
        }
        return html
    }
}

/// The JSON body of an error, in the form of Mozilla's service.
package enum ErrorBody {
    /// `number` is from our list of errors; nil if there is none.
    package static func json(
        status: Int, number: Int?, reason: String, message: String, moreInfo: String
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("code", status)
            writer.member("errno", json: number.map(String.init) ?? "null")
            writer.member("error", reason)
            writer.member("message", message)
            writer.member("more_info", moreInfo)
        }
        return writer.bytes
    }
}
