import Bus

/// The distributor's object on the bus. It passes calls on and answers none itself.
final class DistributorObject: BusObject {
    static let path = "/org/unifiedpush/Distributor"
    static let first = "org.unifiedpush.Distributor1"
    static let second = "org.unifiedpush.Distributor2"

    let interfaces = [
        BusInterface(
            first,
            methods: [
                .init(
                    "Register",
                    [.init("service", "s"), .init("token", "s"), .init("description", "s")],
                    output: [.init("result", "s"), .init("reason", "s")]),
                .init("Unregister", [.init("token", "s")], isAnswered: false),
            ]),
        BusInterface(
            second,
            methods: [
                .init("Register", [.init("args", "a{sv}")], output: [.init("result", "a{sv}")]),
                .init("Unregister", [.init("args", "a{sv}")], output: [.init("result", "a{sv}")]),
            ]),
    ]
    private let receive: (BusCall) -> Void

    init(_ receive: @escaping (BusCall) -> Void) { self.receive = receive }

    func called(_ call: BusCall) { receive(call) }
}

extension BusCall {
    var version: ConnectorVersion { interface == DistributorObject.first ? .one : .two }

    func answer(_ answer: RegistrationAnswer) {
        let (result, reason) =
            switch answer {
            case .registered: ("REGISTRATION_SUCCEEDED", "")
            case .failed(let failure): ("REGISTRATION_FAILED", failure.rawValue)
            }
        guard version == .two else { return reply([.string(result), .string(reason)]) }
        let members: [(String, BusValue)] = [("success", .string(result))]
        let reasons: [(String, BusValue)] = reason.isEmpty ? [] : [("reason", .string(reason))]
        reply([.options(members + reasons)])
    }
}
