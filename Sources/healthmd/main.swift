import Foundation

// Writing to a closed pipe is an error like any other, not the end of the process.
signal(SIGPIPE, SIG_IGN)
exit(CommandLineTool(console: .process).run(Array(CommandLine.arguments.dropFirst())))
