import Glibc

/// A system call that failed.
package struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
    package let call: String
    package let code: Int32

    /// Reads `errno`: nothing may run between the call and this.
    package init(_ call: StaticString) {
        code = errno
        self.call = "\(call)"
    }

    /// An error of a call that returns the error number.
    init(_ call: StaticString, code: Int32) {
        self.call = "\(call)"
        self.code = code
    }

    package var isMissingFile: Bool { code == ENOENT }
    /// A file of that name is there.
    package var isNameTaken: Bool { code == EEXIST }
    /// Another process has the lock.
    package var isLocked: Bool { code == EWOULDBLOCK }

    /// What the user of this machine can do about it; nil if that depends on what failed.
    package var hint: String? {
        switch code {
        case ENOSPC, EDQUOT: "free some space on the disk"
        case ENOENT, ENOTDIR: "check the path"
        case EROFS: "choose a folder that can be written, or mount this one for writing"
        case EACCES, EPERM: "let this user have it: chown, chmod or a group of its own"
        case EMFILE, ENFILE: "allow more open files: LimitNOFILE in the unit, or ulimit -n"
        default: nil
        }
    }

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
