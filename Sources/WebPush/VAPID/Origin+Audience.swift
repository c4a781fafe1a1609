/// How senders name a push service in `aud`.
extension Origin {
    /// Every text that is taken for this origin: the origin itself, and what senders in the wild
    /// make of it. Some write the default port, some leave out any port, some end in a slash.
    package var audiences: [[UInt8]] {
        let bare = "\(scheme)://\(host)"
        let spelled = port == nil ? [bare, "\(bare):\(defaultPort)"] : [description, bare]
        return (spelled + spelled.map { $0 + "/" }).map { Array($0.utf8) }
    }
}
