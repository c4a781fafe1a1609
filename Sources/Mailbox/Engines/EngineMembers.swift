import Base
import Delivery
import Notifications

/// What an engine has to know about all registrations of its account together, so that a joining
/// client needs no look at each of them. It is a value that is read once, and updated with each
/// registration.
struct EngineMembers {
    private var withReplies = 0
    private var schemes: [String: Int] = [:]
    private var services: [UInt32: String] = [:]
    /// Until then no sign of life is worth writing; nil if there are no registrations.
    private(set) var nextSignOfLife: StoreTime?

    init(_ registrations: [Registration]) {
        for registration in registrations { add(registration) }
    }

    /// What any of the registrations agrees to.
    var consent: SourceConsent {
        var consent = SourceConsent()
        consent.takesReplies = withReplies > 0
        consent.linkSchemes = Set(schemes.keys)
        return consent
    }

    /// The program that is told about the user's choices: the first one named.
    var service: String? { services.min { $0.key < $1.key }?.value }

    mutating func add(_ registration: Registration) {
        count(registration, by: 1)
        changed(registration)
    }

    mutating func remove(_ registration: Registration) { count(registration, by: -1) }

    /// The registration gave a sign of life, or went offline.
    mutating func changed(_ registration: Registration) {
        let next = registration.nextSignOfLife
        nextSignOfLife = min(nextSignOfLife ?? next, next)
    }

    /// All of them gave a sign of life.
    mutating func recordedSignOfLife(_ registrations: [Registration]) {
        nextSignOfLife = registrations.map(\.nextSignOfLife).min()
    }

    private mutating func count(_ registration: Registration, by step: Int) {
        services[registration.device] = step > 0 ? registration.terms.service : nil
        let consent = registration.terms.consent
        if consent.takesReplies { withReplies += step }
        for scheme in consent.linkSchemes {
            let count = schemes[scheme, default: 0] + step
            schemes[scheme] = count > 0 ? count : nil
        }
    }
}

extension RegistrationTerms {
    /// How the application wants its notifications to look.
    var looks: JSONNode? {
        guard let presentation else { return nil }
        return try? JSONDocument(Array(presentation.utf8)).root
    }

    fileprivate var consent: SourceConsent {
        looks.map { SourceConsent($0) } ?? SourceConsent()
    }
}
