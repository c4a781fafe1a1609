/// The spellings of a push service in `aud`.
extension Origin {
    /// Every spelling accepted for this origin: the origin itself, and what real senders write.
    /// Some add the default port, some omit the port, some end in a slash.
    package var audiences: [[UInt8]] {
        let bare = "\(scheme)://\(host)"
        let spelled = port == nil ? [bare, "\(bare):\(defaultPort)"] : [description, bare]
        return (spelled + spelled.map { $0 + "/" }).map { Array($0.utf8) }
    }
}
