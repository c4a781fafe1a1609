/// A client that receives messages, on its own connection.
protocol LoadSubscriber: LoadSpeaker {
    /// The path or topic for messages to this client, known once it is ready.
    var destination: [UInt8] { get }

    init(_ number: Int, of load: PushLoad)

    func connect() throws
}

/// A connection on which messages are published, one at a time.
protocol LoadPublisher: LoadSpeaker {
    init(_ number: Int, of load: PushLoad)

    func connect() throws
    func publish(_ body: [UInt8], to destination: [UInt8])
}
