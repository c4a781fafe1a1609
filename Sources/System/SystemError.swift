import Glibc

/// A system call that failed.
package struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
    package let call: String
    package let code: Int32

    /// Reads `errno`; nothing may run between the call and this.
    init(_ call: StaticString) {
        code = errno
        self.call = "\(call)"
    }

    /// For calls that answer the number themselves.
    init(_ call: StaticString, code: Int32) {
        self.call = "\(call)"
        self.code = code
    }

    package var isMissingFile: Bool { code == ENOENT }

    package var description: String { "\(call): \(String(cString: strerror(code)))" }
}

/// Runs a call that answers -1 on failure, again whenever a signal interrupted it.
func ensure<Value: SignedInteger>(
    _ call: StaticString, _ body: () -> Value
) throws(SystemError) -> Value {
    while true {
        let value = body()
        if value != -1 { return value }
        let error = SystemError(call)
        if error.code != EINTR { throw error }
    }
}
