import Glibc

/// A system call that failed.
package struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
    package let call: String
    package let code: Int32

    /// Reads `errno`: nothing may run between the call and this.
    init(_ call: StaticString) {
        code = errno
        self.call = "\(call)"
    }

    /// For calls that return the error number.
    init(_ call: StaticString, code: Int32) {
        self.call = "\(call)"
        self.code = code
    }

    package var isMissingFile: Bool { code == ENOENT }

    package var description: String { "\(call): \(String(cString: strerror(code)))" }
}

/// Runs a call that returns -1 on failure, and repeats it when a signal interrupted it.
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
