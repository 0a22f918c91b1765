import Glibc

// The fuzz targets in one program: `Fuzz TARGET [options of LLVM's fuzzer] [folders and files]`, or `Fuzz --list`.
//
// One program, since it is built once: what a run covers is decided by the target alone. `make fuzz` drives it. The
// fuzzer's library calls the functions below by their C names.

/// Where the package manager has every program begin: it makes `main` an alias of this name. Without `@main` no compiler
/// writes it, and the `main` of the fuzzer's library is hidden by the alias.
@_cdecl("Fuzz_main")
public func main(
    _ count: Int32, _ words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
) -> Int32 {
    var count = count
    var words = words
    return runDriver(&count, &words, testOneInput)
}

/// The fuzzer as a library. It has no header; pointers and a number are passed alike in C and in Swift.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<Int32>,
    _ words: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

/// Takes the target's name from the command line; the fuzzer then sees its own options alone.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(
    _ count: UnsafeMutablePointer<Int32>,
    _ words: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>
) -> Int32 {
    guard count.pointee > 1, let word = words.pointee[1] else { return usage() }
    let name = String(cString: word)
    if name == "--list" {
        for target in FuzzTarget.all { print(target.name, target.maximumByteCount, target.allocationMebibytes) }
        exit(0)
    }
    guard let target = FuzzTarget.all.first(where: { $0.name == name }) else { return usage() }
    chosen = target
    words.pointee[1] = words.pointee[0]
    words.pointee += 1
    count.pointee -= 1
    return 0
}

/// Runs the target on one input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    chosen?.run(Array(UnsafeBufferPointer(start: data, count: size)))
    return 0
}

/// Set once, before the first input: a C callback captures nothing.
nonisolated(unsafe) private var chosen: FuzzTarget?

private func usage() -> Int32 {
    let names = FuzzTarget.all.map(\.name).joined(separator: " ")
    print("usage: Fuzz TARGET [OPTION...] [CORPUS...]\ntargets: \(names)")
    exit(2)
}
