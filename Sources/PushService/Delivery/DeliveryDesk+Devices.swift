import Delivery
import Mailbox
import Reactor

/// Devices connected to this loop.
extension DeliveryDesk {
    /// Connects the device to this loop, and ends its connection on another one. The desk calls
    /// `attached` once that has ended.
    func attach(_ channel: AutopushChannel, device: UInt32) {
        guard let former = claim(channel, device: device) else { return channel.attached() }
        let ticket = operations.put(.arrival(channel))
        former.loop.post {
            former.dismiss(device)
            self.loop.post {
                if case .arrival(let channel)? = self.operations.remove(ticket) {
                    channel.attached()
                }
            }
        }
    }

    /// Returns the other desk to which the device was connected.
    @discardableResult
    func claim(_ channel: AutopushChannel, device: UInt32) -> DeliveryDesk? {
        let former = directory.claim(device, for: self)
        channels.updateValue(channel, forKey: device)?.replaced()
        return former === self ? nil : former
    }

    /// Ends the device's connection here, unless it has come back meanwhile.
    private func dismiss(_ device: UInt32) {
        if directory.desk(of: device) !== self { channels[device]?.replaced() }
    }

    func detach(_ channel: AutopushChannel, device: UInt32) {
        guard channels[device] === channel else { return }
        channels[device] = nil
        directory.release(device, by: self)
    }

    /// Closes the connections of deleted devices.
    func end(_ devices: [UInt32]) {
        for device in devices { channels[device]?.replaced() }
    }

    /// Also those of user agents that have no device yet.
    func endAll() {
        for channel in sessions.all(AutopushChannel.self) { channel.replaced() }
    }

    /// Tells the device's channel that a message was stored.
    func announce(_ message: Message, at position: Int64) {
        let device = message.address.device
        if let channel = channels[device] { return channel.stored(message, at: position) }
        guard let desk = directory.desk(of: device), desk !== self else { return }
        // This may come late. Meanwhile the device may have acknowledged what an earlier connection
        // had sent it, so only the store knows whether the message still waits.
        desk.loop.post { desk.stored(elsewhere: position, device) }
    }

    /// Another loop or node has stored a message for the device.
    func stored(elsewhere position: Int64, _ device: UInt32) {
        channels[device]?.update { $0.stored(elsewhere: position, &$1) }
    }

    func withdrawn(_ reference: MessageReference) {
        let device = reference.address.device
        if let channel = channels[device] {
            return channel.update { $0.withdrawn(reference, &$1) }
        }
        guard let desk = directory.desk(of: device), desk !== self else { return }
        desk.loop.post { desk.channels[device]?.update { $0.withdrawn(reference, &$1) } }
    }
}
