package import Mailbox

extension StoreOperation {
    /// With what callbacks are told of it.
    package func telling(_ callbacks: [CallbackOperation]) -> StoreOperation {
        callbacks.isEmpty ? self : .with(self, callbacks)
    }
}
