import Base
package import Foundation

/// The data files of `Tests/Vectors`, and those that `BELLWIRE_VECTORS` names.
package enum Vectors {
    package static let folder = checkout.appending(path: "Tests/Vectors")

    /// The folder of the whole repository.
    package static let checkout = URL(filePath: #filePath).appending(path: "../../../..")
        .standardized

    package static func load<Value: Decodable>(
        _ type: Value.Type, from name: String
    ) throws -> Value {
        let data = try Data(contentsOf: folder.appending(path: name))
        return try JSONDecoder().decode(type, from: data)
    }

    /// A file that may not be copied into the project; nil if it is not available.
    package static func loadExternal<Value: Decodable>(
        _ type: Value.Type, from name: String
    ) throws -> Value? {
        guard let folder = ProcessInfo.processInfo.environment["BELLWIRE_VECTORS"] else {
            return nil
        }
        let data = try Data(contentsOf: URL(filePath: folder).appending(path: name))
        return try JSONDecoder().decode(type, from: data)
    }
}
