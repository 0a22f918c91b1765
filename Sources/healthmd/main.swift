import Foundation

// A descriptor that the caller closed must not be that of the next file: its bytes would be read as answers, or written over
// as results. What stands in its place can only fail, as a closed one does.
for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) == -1 {
    _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
}
// Writing to a closed pipe is an error like any other, not the end of the process.
signal(SIGPIPE, SIG_IGN)
exit(CommandLineTool(console: .process).run(Array(CommandLine.arguments.dropFirst())))
