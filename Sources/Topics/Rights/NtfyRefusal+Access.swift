extension NtfyRefusal {
    package init(_ refusal: AccessRefusal) {
        self =
            switch refusal {
            case .wrongCredential: .unauthorized
            case .forbidden: .forbidden
            case .badEncoding: .failed
            case .noSubscriber: .noSubscriber
            case .tooManyTopics: .tooManyTopics
            }
    }
}
