/// Functions of texts, as ntfy offers them: what is changed is the last argument.
extension TemplateFunction {
    static let texts: [TemplateFunction] = [
        ofText("upper") { $0.uppercased() },
        ofText("lower") { $0.lowercased() },
        ofText("title", GoText.title),
        ofText("trim", GoText.trimmed),
        ofParts("trimPrefix") { part, text in
            .text(String(Substring(text.utf8.dropFirst(GoText.starts(text, part) ?? 0))))
        },
        ofParts("trimSuffix") { part, text in
            .text(String(Substring(text.utf8.dropLast(GoText.ends(text, part) ?? 0))))
        },
        ofParts("hasPrefix") { part, text in .bool(GoText.starts(text, part) != nil) },
        ofParts("hasSuffix") { part, text in .bool(GoText.ends(text, part) != nil) },
        TemplateFunction("contains", 2) { arguments, budget throws(TemplateFailure) in
            let (part, text) = (try arguments.text(0), try arguments.text(1))
            if part.isEmpty { return .bool(true) }
            return .bool(try GoText.pieces(of: text, at: part, &budget).count > 1)
        },
        TemplateFunction("replace", 3) { arguments, budget throws(TemplateFailure) in
            var text = TemplateText()
            let pieces = try GoText.pieces(of: arguments.text(2), at: arguments.text(0), &budget)
            for (index, piece) in pieces.enumerated() {
                if index > 0 { try text.append(arguments.text(1)) }
                try text.append(piece)
            }
            return try budget.made(text.text)
        },
        TemplateFunction("splitList", 2) { arguments, budget throws(TemplateFailure) in
            let pieces = try GoText.pieces(of: arguments.text(1), at: arguments.text(0), &budget)
            return try budget.made(pieces.map { .text($0) })
        },
        TemplateFunction("split", 2) { arguments, budget throws(TemplateFailure) in
            let pieces = try GoText.pieces(of: arguments.text(1), at: arguments.text(0), &budget)
            // They are sorted by name.
            try budget.pay(bytes: 128 * pieces.count)
            return .map(
                TemplateMap(pieces.enumerated().map { ("_\($0.offset)", .text($0.element)) }))
        },
        TemplateFunction("repeat", 2) { arguments, budget throws(TemplateFailure) in
            let (count, text) = (try arguments.int(0), try arguments.text(1))
            let size = Int64(text.utf8.count).multipliedReportingOverflow(by: max(count, 0))
            guard !size.overflow, size.partialValue <= TemplateText.limit else { throw .execution }
            let isEmpty = size.partialValue == 0
            return try budget.made(isEmpty ? "" : String(repeating: text, count: Int(count)))
        },
        TemplateFunction("trunc", 2) { arguments, budget throws(TemplateFailure) in
            let (count, text) = (try arguments.int(0), try arguments.text(1))
            let size = Int64(text.utf8.count)
            guard -size < count, count < size else { return arguments[1] }
            let kept = count < 0 ? size + count..<size : 0..<count
            return try budget.made(GoText.part(kept, of: text))
        },
    ]

    private static func ofText(
        _ name: String, _ change: @escaping @Sendable (String) -> String
    ) -> TemplateFunction {
        TemplateFunction(name, 1) { arguments, budget throws(TemplateFailure) in
            let text = try arguments.text(0)
            try budget.pay(bytes: 4 * text.utf8.count)
            return try budget.made(change(text))
        }
    }

    private static func ofParts(
        _ name: String, _ body: @escaping @Sendable (String, String) -> TemplateValue
    ) -> TemplateFunction {
        TemplateFunction(name, 2) { arguments, budget throws(TemplateFailure) in
            let (part, text) = (try arguments.text(0), try arguments.text(1))
            try budget.pay(bytes: text.utf8.count)
            return body(part, text)
        }
    }
}

/// Functions of lists and objects.
extension TemplateFunction {
    static let containers: [TemplateFunction] = [
        TemplateFunction("len", 1) { arguments, _ throws(TemplateFailure) in
            .int(try arguments.length(0))
        },
        TemplateFunction("index", many) { arguments, _ throws(TemplateFailure) in
            var value = arguments[0]
            for index in arguments.values.indices.dropFirst() {
                switch value.taken {
                case .map(let map): value = map[try arguments.text(index)] ?? .null
                case .list(let list):
                    let place = try arguments.int(index)
                    guard 0..<Int64(list.count) ~= place else { throw .execution }
                    value = list[Int(place)]
                default: throw .execution
                }
            }
            return value
        },
        TemplateFunction("slice", 1...3) { arguments, budget throws(TemplateFailure) in
            let count = try arguments.length(0)
            let first = arguments.count > 1 ? try arguments.int(1) : 0
            let end = arguments.count > 2 ? try arguments.int(2) : count
            guard 0...count ~= end, 0...end ~= first else { throw .execution }
            guard case .list(let list) = arguments[0] else {
                return try budget.made(GoText.part(first..<end, of: arguments.text(0)))
            }
            try budget.pay(bytes: 16 * list.count)
            return .list(Array(list[Int(first)..<Int(end)]))
        },
        TemplateFunction("list", 0...Int.max) { arguments, budget throws(TemplateFailure) in
            try budget.made(arguments.values)
        },
        TemplateFunction("first", 1) { arguments, _ throws(TemplateFailure) in
            try arguments.list(0).first ?? .none
        },
        TemplateFunction("last", 1) { arguments, _ throws(TemplateFailure) in
            try arguments.list(0).last ?? .none
        },
        // Large numbers of JSON are printed without an exponent by it.
        TemplateFunction("int", 1) { arguments, _ throws(TemplateFailure) in
            switch arguments[0] {
            case .float(let number): .int(Int64(exactly: number.rounded(.towardZero)) ?? 0)
            case .text(let text): .int(Int64(text) ?? 0)
            default: .int(try arguments.int(0))
            }
        },
    ]
}
