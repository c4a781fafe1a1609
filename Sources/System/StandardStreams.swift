import Glibc

package enum StandardOutput {
    package static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    package static func write(_ bytes: Span<UInt8>) throws(SystemError) {
        try writeAll(STDOUT_FILENO, bytes)
    }

    package static func write(_ text: String) throws(SystemError) {
        try writeAll(STDOUT_FILENO, Array(text.utf8).span)
    }
}

package enum StandardError {
    package static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// A failure is ignored: there is nowhere left to report it.
    package static func write(_ text: String) {
        try? writeAll(STDERR_FILENO, Array(text.utf8).span)
    }
}

package enum StandardInput {
    /// Everything up to the end; nil if it is more than `limit`.
    package static func readAll(limit: Int) throws(SystemError) -> [UInt8]? {
        var bytes: [UInt8] = []
        while true {
            let chunk = try readChunk(STDIN_FILENO)
            if chunk.isEmpty { return bytes }
            bytes += chunk
            if bytes.count > limit { return nil }
        }
    }
}

extension StandardInput {
    /// Waits until there is input or the stream ends; false if the time is over first.
    package static func isReady(within seconds: Double?) throws(SystemError) -> Bool {
        var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        let milliseconds =
            seconds.map { Int32(min(($0 * 1000).rounded(.up), Double(Int32.max))) } ?? -1
        return try ensure("poll") { poll(&descriptor, 1, max(milliseconds, -1)) } > 0
    }
}
