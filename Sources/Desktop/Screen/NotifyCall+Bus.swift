import Bus
import Pictures

extension NotifyCall {
    /// The arguments of `Notify`: `susssasa{sv}i`.
    var arguments: [BusValue] {
        [
            .string(appName), .uint32(replacesID), .string(appIcon), .string(summary),
            .string(body), .strings(actions.flatMap { [$0.key, $0.label] }),
            .options(hints.map { ($0.name, $0.value.busValue) }), .int32(expiry),
        ]
    }
}

extension NotifyCall.Hint {
    fileprivate var busValue: BusValue {
        switch self {
        case .byte(let byte): .byte(byte)
        case .flag(let flag): .boolean(flag)
        case .text(let text): .string(text)
        case .picture(let picture):
            .structure([
                .int32(Int32(picture.width)), .int32(Int32(picture.height)),
                .int32(Int32(picture.width * picture.channels)), .boolean(picture.hasAlpha),
                .int32(8), .int32(Int32(picture.channels)), .bytes(picture.pixels),
            ])
        }
    }
}
