package import Foundation

/// The content of all files of a folder and of those in it, concatenated.
///
/// Not by `Data(contentsOf:)`, which leaks its buffer for an empty file.
package func contents(ofFolder path: String) throws -> Data {
    try FileManager.default.subpathsOfDirectory(atPath: path).reduce(into: Data()) { data, name in
        let place = URL(filePath: path).appending(path: name)
        var isFolder: ObjCBool = false
        _ = FileManager.default.fileExists(atPath: place.path, isDirectory: &isFolder)
        guard !isFolder.boolValue else { return }
        data.append(try FileHandle(forReadingFrom: place).readToEnd() ?? Data())
    }
}
