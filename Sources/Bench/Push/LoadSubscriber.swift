/// A client that is sent messages, on a connection of its own.
protocol LoadSubscriber: LoadSpeaker {
    /// Path or topic under which messages for it are published. Known once it is ready.
    var destination: [UInt8] { get }

    init(_ number: Int, of load: PushLoad)

    func connect() throws
    func disconnect()
}

/// A connection on which messages are published, one at a time.
protocol LoadPublisher: LoadSpeaker {
    init(_ number: Int, of load: PushLoad)

    func connect() throws
    func publish(_ body: [UInt8], to destination: [UInt8])
}
