package import Foundation

/// The content of all files of a folder, concatenated.
///
/// Not by `Data(contentsOf:)`, which leaks its buffer for an empty file.
package func contents(ofFolder path: String) throws -> Data {
    try FileManager.default.contentsOfDirectory(atPath: path).reduce(into: Data()) { data, name in
        let file = try FileHandle(forReadingFrom: URL(filePath: path).appending(path: name))
        data.append(try file.readToEnd() ?? Data())
    }
}
