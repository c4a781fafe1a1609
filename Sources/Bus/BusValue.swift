import CSystemd
import Glibc

/// One value of the D-Bus type system.
package enum BusValue: Equatable, Sendable {
    case byte(UInt8)
    case boolean(Bool)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    case objectPath(String)
    case signature(String)
    /// An array of bytes.
    case bytes([UInt8])
    /// An array, with the signature of one element, which an empty array needs as well.
    case array(String, [BusValue])
    case structure([BusValue])
    indirect case entry(BusValue, BusValue)
    indirect case variant(BusValue)
    case descriptor(BusDescriptor)

    /// An array of type `a{sv}`.
    package static func options(_ members: [(String, BusValue)]) -> BusValue {
        .array("{sv}", members.map { .entry(.string($0.0), .variant($0.1)) })
    }

    package static func strings(_ texts: [String]) -> BusValue {
        .array("s", texts.map { .string($0) })
    }

    package var signature: String {
        switch self {
        case .byte: "y"
        case .boolean: "b"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .objectPath: "o"
        case .signature: "g"
        case .bytes: "ay"
        case .array(let element, _): "a" + element
        case .structure(let members): "(" + members.map(\.signature).joined() + ")"
        case .entry(let key, let value): "{" + key.signature + value.signature + "}"
        case .variant: "v"
        case .descriptor: "h"
        }
    }
}

extension BusValue {
    /// The text of a string or an object path.
    package var text: String? {
        switch self {
        case .string(let text), .objectPath(let text): text
        case .variant(let value): value.text
        default: nil
        }
    }

    package var flag: Bool? {
        switch self {
        case .boolean(let flag): flag
        case .variant(let value): value.flag
        default: nil
        }
    }

    /// The value of any integer type.
    package var integer: Int64? {
        switch self {
        case .byte(let number): Int64(number)
        case .int16(let number): Int64(number)
        case .uint16(let number): Int64(number)
        case .int32(let number): Int64(number)
        case .uint32(let number): Int64(number)
        case .int64(let number): number
        case .uint64(let number): Int64(exactly: number)
        case .variant(let value): value.integer
        default: nil
        }
    }

    package var number: Double? {
        switch self {
        case .double(let number): number
        case .variant(let value): value.number
        default: nil
        }
    }

    package var bytes: [UInt8]? {
        switch self {
        case .bytes(let bytes): bytes
        case .variant(let value): value.bytes
        default: nil
        }
    }

    /// The elements of an array or a structure.
    package var elements: [BusValue]? {
        switch self {
        case .array(_, let elements), .structure(let elements): elements
        case .variant(let value): value.elements
        default: nil
        }
    }

    /// The texts of an array that has only strings.
    package var texts: [String]? {
        guard let elements else { return nil }
        let texts = elements.compactMap(\.text)
        return texts.count == elements.count ? texts : nil
    }

    /// The members of a dictionary with string keys, with variants unpacked. The last of two
    /// members with the same name counts.
    package var members: [String: BusValue]? {
        switch self {
        case .variant(let value): return value.members
        case .array(_, let elements):
            var members: [String: BusValue] = [:]
            for element in elements {
                guard case .entry(let key, let value) = element, let name = key.text else {
                    return nil
                }
                if case .variant(let inner) = value {
                    members[name] = inner
                } else {
                    members[name] = value
                }
            }
            return members
        default: return nil
        }
    }
}

extension [BusValue] {
    package var signature: String { map(\.signature).joined() }
}

/// An open file that came over the bus, or the bus connection itself. It is closed with the last
/// reference.
package final class BusDescriptor: Sendable, Equatable {
    package let number: Int32

    /// Duplicates the descriptor, because sd-bus closes its own.
    init(duplicating number: Int32) throws(BusError) {
        let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else { throw BusError("fcntl", code: errno) }
        self.number = copy
    }

    deinit { close(number) }

    package static func == (left: BusDescriptor, right: BusDescriptor) -> Bool { left === right }
}
