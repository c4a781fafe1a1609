import Glibc

/// Starts this program anew, in this process.
package enum ProgramStart {
    /// Only returns if it fails. Descriptors are closed, and other threads end.
    package static func anew(_ arguments: [String]) -> SystemError {
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
        defer { for word in words { free(word) } }
        words.append(nil)
        // Also if its file was replaced meanwhile.
        execv("/proc/self/exe", words)
        return SystemError("execv")
    }
}
