import Mailbox

/// Who asks for something: by the control socket, or with the credential of a device.
struct APICaller {
    let owner: String
    /// Sees and changes what belongs to others, too.
    let isAdministrator: Bool
    /// The row of the credential; nil on the control socket.
    let credential: UInt32?

    init(_ caller: ControlCaller) {
        owner = caller.owner
        isAdministrator = caller == .administrator
        credential = nil
    }

    init(_ credential: Credential) {
        owner = credential.owner
        isAdministrator = false
        self.credential = credential.row
    }

    func mayUse(_ owner: String) -> Bool { isAdministrator || owner == self.owner }
}
