import Base
import System

/// What the server answers to a command: the object that it is, or the same JSON for a program.
enum ServerAnswer {
    static var unreadable: CommandError {
        CommandError(message: "the server's answer cannot be read")
    }

    static func read<Object: JSONObject>(_ json: [UInt8]) throws -> Object {
        guard let object = Object(json: json) else { throw unreadable }
        return object
    }

    static func list<Object: ListedObject>(_ json: [UInt8]) throws -> [Object] {
        guard let list = [Object](json: json) else { throw unreadable }
        return list
    }

    /// Prints it as JSON, or as the text of what it is.
    static func show<Object: JSONObject>(
        _ json: [UInt8], _ arguments: Arguments, _ text: (Object) throws -> String
    ) throws -> ExitCode {
        try show(json, arguments, plain: try text(try read(json)))
    }

    static func show<Object: ListedObject>(
        list json: [UInt8], _ arguments: Arguments, _ text: ([Object]) -> String
    ) throws -> ExitCode {
        try show(json, arguments, plain: text(try list(json)))
    }

    static func show(
        _ json: [UInt8], _ arguments: Arguments, _ text: (JSONNode) throws -> String
    ) throws -> ExitCode {
        guard let node = try? JSONDocument(json).root else { throw unreadable }
        return try show(json, arguments, plain: try text(node))
    }

    static func show(
        _ json: [UInt8], _ arguments: Arguments, plain: @autoclosure () throws -> String
    ) throws -> ExitCode {
        if arguments.has("json") {
            try StandardOutput.write(json.span)
            try StandardOutput.write("\n")
        } else {
            try StandardOutput.write(try plain())
        }
        return .success
    }
}
