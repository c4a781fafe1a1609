extension EventLoop {
    /// Watches an open descriptor, which must stay open until `unwatch`.
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

    /// Does nothing if the interest is the same or the watch has ended.
    package func setInterest(_ interest: Interest, of watch: Watch) {
        requireOwnThread()
        guard let entry = watchers.entry(watch), entry.interest != interest else { return }
        watchers.setInterest(interest, of: watch)
        poll.modify(watch, interest.mask)
    }

    /// Ends a watch; call it before its descriptor is closed. Any handler may call it, even for a
    /// watch that has an event in this turn. Does nothing if the watch has ended.
    package func unwatch(_ watch: Watch) {
        requireOwnThread()
        guard watchers.entry(watch) != nil else { return }
        poll.remove(watch)
        // Last: this may free the handler and close its descriptor.
        _ = watchers.remove(watch)
    }
}
