import Crypto
import System

OpenSSL.stayAtExit()
do {
    try ProcessGuard.harden()
} catch {
    StandardError.write("bellwire: error: \(error)\n")
    ExitCode.failure.exit()
}
CommandLineTool.run(Array(CommandLine.arguments.dropFirst())).exit()
