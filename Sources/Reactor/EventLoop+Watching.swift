extension EventLoop {
    /// Begins to watch an open descriptor, which must stay open until `unwatch`.
    package func watch(
        _ descriptor: Int32, for interest: Interest, _ handler: any EventHandler
    ) throws(ReactorError) -> Watch {
        requireOwnThread()
        let watch = watchers.add(descriptor, interest, handler)
        do throws(ReactorError) {
            try poll.add(watch, interest.mask)
        } catch {
            _ = watchers.remove(watch)
            throw error
        }
        return watch
    }

    package func watch(
        _ socket: borrowing Socket, for interest: Interest, _ handler: any EventHandler
    ) throws(ReactorError) -> Watch {
        try watch(socket.descriptor, for: interest, handler)
    }

    /// Changes what is waited for; free when it is the same. Nothing happens if the watch ended.
    package func setInterest(_ interest: Interest, of watch: Watch) {
        requireOwnThread()
        guard let entry = watchers.entry(watch), entry.interest != interest else { return }
        watchers.setInterest(interest, of: watch)
        poll.modify(watch, interest.mask)
    }

    /// Ends a watch, before its descriptor is closed. Safe in every handler, also for a watch whose
    /// event is already there; nothing happens if the watch ended.
    package func unwatch(_ watch: Watch) {
        requireOwnThread()
        guard watchers.entry(watch) != nil else { return }
        poll.remove(watch)
        // Last: this may be the end of the handler, and of its descriptor.
        _ = watchers.remove(watch)
    }
}
