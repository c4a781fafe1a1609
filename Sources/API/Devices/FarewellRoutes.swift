import Mailbox
import PushService

/// Forgets a device or an owner, so that nothing of it stays in the store's files. Who may forget
/// something may also export what is stored about it.
final class FarewellRoutes {
    typealias Answer = DeviceRoutes.Answer

    private let dialogue: StoreDialogue
    private let exports: ExportRoutes

    init(_ dialogue: StoreDialogue, _ exports: ExportRoutes) {
        self.dialogue = dialogue
        self.exports = exports
    }

    /// Whatever is being exported may have what is forgotten here.
    func forget(_ subject: ExportSubject, _ answer: @escaping Answer) {
        exports.endAll()
        let operation: StoreOperation =
            switch subject {
            case .device(let row): .forgetCredential(row)
            case .owner(let row): .forgetOwner(row)
            }
        dialogue.submit(operation) { answer(APIResult(ofRemoval: $0)) }
    }

    func export(_ subject: ExportSubject, _ caller: ControlCaller, _ answer: Answer) {
        exports.begin(subject, caller, answer)
    }
}
