/// The process behind a connection, as the bus knows it.
package struct BusCredentials: Sendable {
    package let user: UInt32?
    package let process: Int32?
    /// Keeps the number of the process from being reused unnoticed.
    package let descriptor: BusDescriptor?

    init(_ members: [String: BusValue]) {
        user = members["UnixUserID"]?.integer.flatMap { UInt32(exactly: $0) }
        process = members["ProcessID"]?.integer.flatMap { Int32(exactly: $0) }
        if case .descriptor(let descriptor)? = members["ProcessFD"] {
            self.descriptor = descriptor
        } else {
            descriptor = nil
        }
    }
}

extension BusConnection {
    package func credentials(
        of name: String, completion: @escaping (Result<BusCredentials, BusFailure>) -> Void
    ) {
        ask("GetConnectionCredentials", [.string(name)]) { reply in
            completion(reply.map { BusCredentials($0.first?.members ?? [:]) })
        }
    }
}
