package import Base

/// Who is signed in to the status page, and who may sign in: events in, answers out, time passed in.
///
/// Codes and sessions are names that nobody can guess, and only their digests are kept. They are in
/// memory alone, so a restart of the server ends them.
package struct PageSessions<Visitor: Hashable & Sendable>: Sendable {
    package struct Session: Equatable, Sendable {
        package let visitor: Visitor
        /// Proves that a form is one of ours.
        package let formToken: String
        /// How many times it used a form that may be sent only once.
        package fileprivate(set) var additions = 0
        /// Milliseconds since boot.
        let end: Int64
        fileprivate let number: Int

        /// The visitor signed in so recently that what lets others in may be made.
        package func isFresh(at now: Int64) -> Bool {
            end - now > PageSessions.lifetime - PageSessions.freshness
        }
    }

    private struct Code {
        let visitor: Visitor
        let end: Int64
        let number: Int
    }

    /// Milliseconds.
    package static var codeLifetime: Int64 { 300_000 }
    package static var lifetime: Int64 { 12 * 3_600_000 }
    private static var freshness: Int64 { 300_000 }
    private static var limitOfVisitor: Int { 8 }
    private static var limit: Int { 512 }

    private var codes: [Digest: Code] = [:]
    private var sessions: [Digest: Session] = [:]
    private var lastNumber = 0

    package init() {}

    /// A new link. The oldest of too many ends.
    package mutating func add(code: Digest, for visitor: Visitor, at now: Int64) {
        forgetExpired(at: now)
        lastNumber += 1
        codes[code] = Code(
            visitor: visitor, end: now + Self.codeLifetime, number: lastNumber)
        Self.shrink(&codes, for: visitor) { ($0.visitor, $0.number) }
    }

    /// Spends a code. Nil if it was spent before, has expired, or never existed.
    package mutating func signIn(
        code: Digest, session: Digest, formToken: String, at now: Int64
    ) -> Session? {
        forgetExpired(at: now)
        guard let visitor = codes.removeValue(forKey: code)?.visitor else { return nil }
        lastNumber += 1
        let made = Session(
            visitor: visitor, formToken: formToken, end: now + Self.lifetime, number: lastNumber)
        sessions[session] = made
        Self.shrink(&sessions, for: visitor) { ($0.visitor, $0.number) }
        return made
    }

    package mutating func session(_ name: Digest, at now: Int64) -> Session? {
        guard let session = sessions[name] else { return nil }
        guard now < session.end else {
            forgetExpired(at: now)
            return nil
        }
        return session
    }

    package mutating func end(_ name: Digest) { sessions[name] = nil }

    /// Spends a form that was shown when the session had made `number` additions. False if it was
    /// sent before: a reload of its answer sends it again.
    package mutating func spend(addition number: Int, of name: Digest) -> Bool {
        guard sessions[name]?.additions == number else { return false }
        sessions[name]?.additions += 1
        return true
    }

    private mutating func forgetExpired(at now: Int64) {
        codes = codes.filter { now < $0.value.end }
        sessions = sessions.filter { now < $0.value.end }
    }

    /// Ends the oldest of the visitor, and the oldest of all, until both limits are kept.
    private static func shrink<Entry>(
        _ entries: inout [Digest: Entry], for visitor: Visitor,
        _ facts: (Entry) -> (Visitor, number: Int)
    ) {
        func endOldest(_ isMeant: (Visitor) -> Bool) {
            let meant = entries.filter { isMeant(facts($0.value).0) }
            let oldest = meant.min { facts($0.value).number < facts($1.value).number }
            if let oldest { entries[oldest.key] = nil }
        }
        if entries.values.count(where: { facts($0).0 == visitor }) > limitOfVisitor {
            endOldest { $0 == visitor }
        }
        if entries.count > limit { endOldest { _ in true } }
    }
}

/// The fields of a form, `application/x-www-form-urlencoded`.
package struct PageForm: Sendable, Confidential {
    private let values: [String: String]

    /// Nil for a body that no browser makes from our forms.
    package init?(_ body: [UInt8]) {
        var values: [String: String] = [:]
        for pair in body.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = Self.text(parts[0]), let value = Self.text(parts[1]),
                values.updateValue(value, forKey: name) == nil
            else { return nil }
        }
        self.values = values
    }

    package subscript(name: String) -> String? { values[name] }

    /// Whether the form is one that we gave to this session.
    package func proves(_ token: String) -> Bool {
        let given = Array((values["csrf"] ?? "").utf8)
        return Array(token.utf8).span.isEqualSecretly(to: given.span)
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String? {
        PercentEncoding.decoded(bytes, inForm: true).flatMap {
            String(validating: $0, as: UTF8.self)
        }
    }
}
