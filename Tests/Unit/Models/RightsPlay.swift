import API
import Base
import Configuration
package import DeliveryModel
import Mailbox
import PushService

/// Who is let in, and what each may see, while devices come and go and the configuration changes.
///
/// The model is the table of the rules: root and the service's own user administer; any other user
/// sees what is theirs, and only if local users are allowed; a device sees what belongs to its
/// owner; an address grants nothing.
package struct RightsPlay: Play {
    package enum Event: Sendable {
        case reload(isOpen: Bool, allowsLocalUsers: Bool)
        case enter(user: UInt32?)
        case enterOpenly
        case addDevice(owner: Int)
        case enterWithDevice(Int)
        case removeDevice(Int)
        /// Everybody who is in asks for something of this owner.
        case ask(owner: Int)
        case leave(Int)
    }

    package static let name = "rights"
    package static let alphabet: [Event] = [
        .reload(isOpen: true, allowsLocalUsers: false),
        .reload(isOpen: false, allowsLocalUsers: true), .enter(user: 0), .enter(user: 1_000),
        .enterOpenly, .addDevice(owner: 1), .enterWithDevice(0), .removeDevice(0), .ask(owner: 1),
    ]

    private static let ownUser: UInt32 = 999
    /// The kernel's name for users that it cannot map.
    private static let nobody: UInt32 = 65_534
    private static let users: [UInt32?] = [nil, 0, ownUser, 1_000, 1_001, nobody, .max]
    private static let owners = ["admin", "uid:1000", "uid:1001", "ann", "uid:0", "uid:65534"]

    package static func draw(_ dice: inout Dice) -> Event {
        switch dice.roll(16) {
        case 0, 1: .reload(isOpen: dice.hits(2), allowsLocalUsers: dice.hits(2))
        case 2..<5: .enter(user: users[dice.roll(users.count)])
        case 5: .enterOpenly
        case 6, 7: .addDevice(owner: dice.roll(owners.count))
        case 8, 9: .enterWithDevice(dice.roll(4))
        case 10: .removeDevice(dice.roll(4))
        case 11..<15: .ask(owner: dice.roll(owners.count))
        default: .leave(dice.roll(6))
        }
    }

    /// Who somebody is, for the model.
    private enum Person: Hashable {
        case user(UInt32?)
        case device(Int, owner: String)
        case stranger
    }

    private var isOpen = true
    private var allowsLocalUsers = false
    private var devices: [Int: String] = [:]
    private var number = 0
    private var inside: [(person: Person, pass: Pass, caller: APICaller?)] = []
    package private(set) var finding: String?

    package init() {}

    private mutating func fail(_ text: String) { finding = finding ?? text }

    private var admission: AdmissionRules {
        AdmissionRules(registration: isOpen ? .open : .token, allowsLocalUsers: allowsLocalUsers)
    }

    package mutating func happen(_ event: Event) {
        switch event {
        case .reload(let isOpen, let allowsLocalUsers):
            (self.isOpen, self.allowsLocalUsers) = (isOpen, allowsLocalUsers)
            sendAway()
        case .enter(let user): enter(user)
        case .enterOpenly:
            if admission.admit(.open) != isOpen { fail("the door for everybody is wrong") }
            if admission.admit(.open) { admit(.stranger, .open, nil) }
        case .addDevice(let owner):
            guard devices.count < 4 else { break }
            number += 1
            devices[number] = Self.owners[owner]
        case .enterWithDevice(let index):
            guard let (row, owner) = device(index) else { break }
            let caller = APICaller(
                DeviceCredential(
                    row: UInt32(row), secret: Digest(InlineArray(repeating: 1)), name: "d",
                    owner: owner, created: 0))
            if !admission.admit(caller.pass) { fail("a device is kept out by the configuration") }
            admit(.device(row, owner: owner), caller.pass, caller)
        case .removeDevice(let index):
            guard let (row, _) = device(index) else { break }
            devices[row] = nil
            inside.removeAll { $0.pass == .credential(UInt32(row)) }
            if inside.contains(where: {
                if case .device(row, _) = $0.person { true } else { false }
            }) {
                fail("a session outlives its device")
            }
        case .ask(let owner): ask(Self.owners[owner])
        case .leave(let index): if index < inside.count { inside.remove(at: index) }
        }
    }

    private func device(_ index: Int) -> (row: Int, owner: String)? {
        let sorted = devices.sorted { $0.key < $1.key }
        return index < sorted.count ? (sorted[index].key, sorted[index].value) : nil
    }

    private mutating func admit(_ person: Person, _ pass: Pass, _ caller: APICaller?) {
        if inside.count < 6 { inside.append((person, pass, caller)) }
    }

    private mutating func enter(_ user: UInt32?) {
        let caller = ControlCaller(
            userID: user, ownUserID: Self.ownUser, allowsLocalUsers: allowsLocalUsers)
        guard (caller != nil) == mayEnter(.user(user)) else {
            return fail("user \(user.map(String.init) ?? "-") is let in or kept out wrongly")
        }
        guard let caller else { return }
        admit(.user(user), caller.pass, APICaller(caller, userID: user))
    }

    /// The configuration has changed: some have to go.
    private mutating func sendAway() {
        let admission = admission
        for (person, pass, _) in inside where admission.admit(pass) != mayEnter(person) {
            fail("\(person) stays or goes wrongly after a change of the configuration")
        }
        inside.removeAll { !admission.admit($0.pass) }
    }

    private mutating func ask(_ owner: String) {
        for (person, _, caller) in inside {
            let may = caller?.mayUse(owner) ?? false
            if may != self.may(person, see: owner) { fail("\(person) sees what is \(owner)'s") }
        }
    }

    package mutating func settle() {
        for owner in Self.owners { ask(owner) }
    }
}

/// The rules.
extension RightsPlay {
    private func isAdministrator(_ person: Person) -> Bool {
        person == .user(0) || person == .user(Self.ownUser)
    }

    private func mayEnter(_ person: Person) -> Bool {
        switch person {
        case .stranger: return isOpen
        case .device: return true
        case .user(nil), .user(Self.nobody): return false
        case .user: return isAdministrator(person) || allowsLocalUsers
        }
    }

    private func may(_ person: Person, see owner: String) -> Bool {
        switch person {
        case .stranger: return false
        case .device(_, let own): return own == owner
        case .user(let user):
            return isAdministrator(person) || owner == "uid:\(user.map(String.init) ?? "-")"
        }
    }

    package struct State: Hashable {
        let admission: [Bool]
        let devices: [String]
        let inside: [String]
    }

    package var state: State {
        State(
            admission: [isOpen, allowsLocalUsers], devices: devices.values.sorted(),
            inside: inside.map { entry in
                switch entry.person {
                case .user(let user): "user \(user.map(String.init) ?? "-")"
                case .device(_, let owner): "device of \(owner)"
                case .stranger: "stranger"
                }
            }.sorted())
    }
}
