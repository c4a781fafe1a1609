import Dialects
import Mailbox
import System
import WebPush

/// Unencrypted pushes of scripts and services.
extension Registration {
    /// The body of a push that says nothing about encryption, in the form in which its dialect reads
    /// it; the body itself if it has this form already. What it does not show is added to what the
    /// fields ignore.
    func clearPayload(
        of body: [UInt8], _ fields: inout SenderFields
    ) throws(PushRefusal) -> [UInt8] {
        guard terms.acceptsClear, secret == nil, !PayloadReader.isFolded(body) else { return body }
        do throws(PlainDialect.Refusal) {
            return try Underway.mark(.payload, body.span) { () throws(PlainDialect.Refusal) in
                try terms.dialect.payload(of: body, &fields)
            }
        } catch {
            throw PushRefusal(error)
        }
    }

    /// Only a body that will be cut may be longer than a push. What was encrypted will not be.
    func clearBodyLimit(for body: [UInt8], _ fields: SenderFields) -> Int {
        guard terms.acceptsClear, secret == nil, !PayloadReader.isFolded(body) else {
            return PushRules.bodyLimit
        }
        let isOfService =
            body.count > PushRules.bodyLimit && terms.dialect == .plain
            && Dialect.service(of: body, fields) != nil
        return isOfService ? RegistrationTerms.serviceBodyLimit : terms.clearBodyLimit
    }
}

extension PushRefusal {
    fileprivate init(_ refusal: PlainDialect.Refusal) {
        switch refusal {
        case .notText: self = .notText
        case .delayed: self = .script(.delayed)
        case .badPriority: self = .script(.badPriority)
        case .badForm: self = .script(.badForm)
        case .badJSON: self = .script(.badJSON)
        case .tooDeep: self = .script(.tooDeep)
        }
    }
}
