import Glibc

/// A failed system call and what it concerned.
package struct ReactorError: Error, Equatable, Sendable, CustomStringConvertible {
    package let call: String
    package let subject: String?
    package let code: Int32

    package var isShortOfDescriptors: Bool { code == EMFILE || code == ENFILE }

    init(_ call: StaticString, code: Int32, about subject: String? = nil) {
        self.call = "\(call)"
        self.code = code
        self.subject = subject
    }

    package var description: String {
        let reason = String(cString: strerror(code))
        return subject.map { "\(call) \($0): \(reason)" } ?? "\(call): \(reason)"
    }
}

/// Runs a call that returns -1 on failure, and repeats it when a signal interrupted it.
func ensure<Value: SignedInteger>(
    _ call: StaticString, about subject: String? = nil, _ body: () -> Value
) throws(ReactorError) -> Value {
    while true {
        let value = body()
        if value != -1 { return value }
        // Nothing may run between the call and this.
        let code = errno
        if code != EINTR { throw ReactorError(call, code: code, about: subject) }
    }
}
