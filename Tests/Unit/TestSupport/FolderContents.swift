package import Foundation

/// What all files of a folder hold, one behind the other.
///
/// Not by `Data(contentsOf:)`, which loses its buffer where a file is empty.
package func contents(ofFolder path: String) throws -> Data {
    try FileManager.default.contentsOfDirectory(atPath: path).reduce(into: Data()) { data, name in
        let file = try FileHandle(forReadingFrom: URL(filePath: path).appending(path: name))
        data.append(try file.readToEnd() ?? Data())
    }
}
