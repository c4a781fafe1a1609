package import Base

/// What one person sees of the server at one moment: `/api/v1/overview`. It has no contents, secrets
/// or endpoints.
package struct Overview: JSONObject, Equatable, Sendable {
    /// Since the server was started.
    package struct Counts: JSONObject, Equatable, Sendable {
        package var accepted = 0
        package var repeated = 0
        package var refused = 0
        package var delivered = 0
        package var acknowledged = 0
        package var undecryptable = 0

        package init() {}
    }

    /// How long pushes waited for their answers.
    package struct Durations: JSONObject, Equatable, Sendable {
        /// Upper bounds in microseconds.
        package var bounds: [Int] = []
        /// For each bound, how many took no longer; then how many there were.
        package var counts: [Int] = []

        package init() {}
    }

    package struct Registration: JSONObject, Equatable, Sendable {
        package var id = ""
        package var app = ""
        package var account = ""
        package var owner = ""
        /// Seconds since 1970.
        package var created = 0
        /// Nil for what does not end by itself.
        package var expires: Int?
        package var lastPush: Int?
        package var waiting = 0
        /// The D-Bus name of the application to wake.
        package var service: String?
        /// Another client of the account is in use.
        package var isPaused = false
        /// Only a screen shows what is pushed there, and none is connected.
        package var isUnheard = false

        package init() {}

        package var name: String { AccountName(app: app, account: account).description }
    }

    package struct Failure: JSONObject, Equatable, Sendable {
        /// The word in logs and metrics.
        package var word = ""
        package var count = 0
        /// Zero for an accepted push that could not be read.
        package var status = 0
        package var number: Int?
        /// A sentence for people, in English.
        package var message = ""
        package var advice: String?

        package init() {}

        package init(word: String, count: Int, status: Int, number: Int?) {
            (self.word, self.count, self.status, self.number) = (word, count, status, number)
            message = Sentence.refusal(word).text(.english)
        }
    }

    package struct Event: JSONObject, Equatable, Sendable {
        /// Counts the server's events.
        package var number = 0
        /// Milliseconds since 1970.
        package var time = 0
        package var kind = ""
        /// The account or the device; empty if it has no name.
        package var subject = ""
        package var detail = ""

        package init() {}
    }

    package var version = ""
    package var address = ""
    /// Seconds since 1970.
    package var now = 0
    package var began = 0
    package var isUsable = true
    /// Nil for an administrator, who sees everything.
    package var owner: String?
    package var waitingMessages = 0
    package var waitingBytes = 0
    /// What topics keep; nil if they keep nothing.
    package var keptMessages: Int?
    package var keptBytes: Int?
    /// Nil for who does not see everything.
    package var counts: Counts?
    package var durations: Durations?
    package var userAgents: Int?
    /// User agents and screens.
    package var clients: Int?
    package var devices: [ListedDevice] = []
    package var registrations: [Registration] = []
    /// There are more registrations than these.
    package var hasMore = false
    package var failures: [Failure] = []
    package var events: [Event] = []

    package init() {}
}

/// Times are in seconds since 1970, except those of events.
extension Overview {
    package mutating func fields(_ fields: inout JSONFields) {
        fields.member("version", &version)
        fields.member("address", &address)
        fields.member("now", &now)
        fields.member("began", &began)
        fields.member("usable", &isUsable)
        fields.constant("administrator", owner == nil)
        fields.member("owner", &owner)
        fields.member("waiting") {
            $0.member("messages", &waitingMessages)
            $0.member("bytes", &waitingBytes)
        }
        fields.member("kept_messages", &keptMessages)
        fields.member("kept_bytes", &keptBytes)
        fields.member("user_agents", &userAgents)
        fields.member("clients", &clients)
        numbers(&fields)
        fields.member("devices", &devices)
        fields.member("registrations", &registrations)
        fields.flag("more", &hasMore)
        fields.member("errors", &failures)
        fields.member("events", &events)
    }

    /// What the script of the page needs for its plots.
    package mutating func numbers(_ fields: inout JSONFields) {
        fields.member("counts", &counts)
        fields.member("durations", &durations)
    }
}

extension Overview.Counts {
    package mutating func fields(_ fields: inout JSONFields) {
        fields.member("accepted", &accepted)
        fields.member("repeated", &repeated)
        fields.member("refused", &refused)
        fields.member("delivered", &delivered)
        fields.member("acknowledged", &acknowledged)
        fields.member("undecryptable", &undecryptable)
    }
}

extension Overview.Durations {
    package mutating func fields(_ fields: inout JSONFields) {
        fields.member("bounds", seconds: &bounds)
        fields.member("counts", &counts)
    }

    /// The bound below which this part of all answers stays, in microseconds; nil if there is none.
    package func bound(of percent: Int) -> Int? {
        guard counts.count == bounds.count + 1, let total = counts.last, total > 0 else {
            return nil
        }
        return zip(bounds, counts)
            .first { Double($0.1) * 100 >= Double(total) * Double(percent) }?.0
    }
}

extension Overview.Registration {
    package mutating func fields(_ fields: inout JSONFields) {
        fields.member("id", &id)
        fields.member("app", &app)
        fields.member("account", &account)
        fields.member("owner", &owner)
        fields.member("created", &created)
        fields.member("expires", &expires)
        fields.member("last_delivery", &lastPush)
        fields.member("waiting", &waiting)
        fields.member("service", &service)
        fields.flag("paused", &isPaused)
        fields.flag("unheard", &isUnheard)
    }
}

extension Overview.Failure {
    package mutating func fields(_ fields: inout JSONFields) {
        fields.member("word", &word)
        fields.member("errno", &number)
        var known = status > 0 ? status : nil
        fields.member("status", &known)
        status = known ?? 0
        fields.member("count", &count)
        fields.member("message", &message)
        fields.member("advice", &advice)
    }
}

extension Overview.Event {
    package mutating func fields(_ fields: inout JSONFields) {
        fields.member("number", &number)
        fields.member("time", &time)
        fields.member("kind", &kind)
        fields.member("subject", &subject)
        fields.member("detail", &detail)
    }
}
