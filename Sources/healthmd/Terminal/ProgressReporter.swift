import CanonicalJSON
import Foundation
import Synchronization

/// Progress on standard error: one line that is rewritten on a terminal, JSON lines with `--progress-json`, nothing
/// otherwise (cli.md 10).
final class ProgressReporter: Sendable {
    enum Mode: Sendable {
        case silent
        case line
        case json
    }

    private struct State {
        var lastLine = ""
        var firstBytes: (at: Date, bytes: Int64)?
        var firstDays: (at: Date, days: Int)?
    }

    private let mode: Mode
    private let console: Console
    private let state = Mutex(State())

    init(mode: Mode, console: Console) {
        self.mode = mode
        self.console = console
    }

    /// The mode that the options and the terminal ask for.
    convenience init(_ invocation: Invocation, _ console: Console) {
        let mode: Mode =
            invocation.has("--quiet")
            ? .silent : invocation.has("--progress-json") ? .json : console.errorIsTerminal ? .line : .silent
        self.init(mode: mode, console: console)
    }

    /// Reports a phase with the receiver's state object, when there is one.
    func report(phase: String, state document: JSONValue?) {
        switch mode {
        case .silent: return
        case .json:
            var members = JSONObject()
            for key in ["state", "processed_days", "committed_partitions", "committed_bytes"] {
                members.append(key, ifPresent: document?[key])
            }
            members.append("total_days", ifPresent: JobPhase.totalDays(document).map(JSONValue.integer))
            printJSON(phase, members)
        case .line: printLine(phase, jobParts(document))
        }
    }

    /// Reports a phase of work on this computer: parts for the line, members for the JSON.
    func report(phase: String, parts: [String], members: JSONObject) {
        switch mode {
        case .silent: return
        case .json: printJSON(phase, members)
        case .line: printLine(phase, parts)
        }
    }

    /// Ends the line, so that what follows starts on a new one.
    func finish() {
        state.withLock { state in
            if mode == .line, !state.lastLine.isEmpty { console.note("") }
            state.lastLine = ""
        }
    }

    private func printJSON(_ phase: String, _ members: JSONObject) {
        var line: JSONObject = [
            "schema": "healthmd.cli_progress", "schema_version": 1, "phase": .string(phase),
            "timestamp": .string(
                RFC3339.seconds(since2001: Date().timeIntervalSinceReferenceDate.rounded(.down)) ?? ""),
        ]
        line.members += members.members
        console.note(document: .object(line))
    }

    private func printLine(_ phase: String, _ parts: [String]) {
        state.withLock { state in
            let line = ([phase.replacingOccurrences(of: "_", with: " ")] + parts).joined(separator: " · ")
            guard line != state.lastLine else { return }
            let padding = String(repeating: " ", count: max(0, state.lastLine.count - line.count))
            console.noteWithoutLineEnd("\r" + line + padding)
            state.lastLine = line
        }
    }

    /// Counters, rate and the time that is left, as far as they are known.
    private func jobParts(_ document: JSONValue?) -> [String] {
        let now = Date()
        let days = document?["processed_days"]?.number?.int ?? 0
        let total = JobPhase.totalDays(document) ?? 0
        let bytes = document?["committed_bytes"]?.number?.int64 ?? 0
        return state.withLock { state in
            if state.firstBytes == nil { state.firstBytes = (now, bytes) }
            if state.firstDays == nil { state.firstDays = (now, days) }
            var parts: [String] = []
            if total > 0 { parts.append("\(days) of \(total) days") }
            if bytes > 0 { parts.append(ByteText.short(bytes)) }
            if let first = state.firstBytes, bytes > first.bytes, now.timeIntervalSince(first.at) > 1 {
                let rate = Double(bytes - first.bytes) / now.timeIntervalSince(first.at)
                parts.append(ByteText.short(Int64(rate)) + "/s")
            }
            if let first = state.firstDays, days > first.days, total > days, now.timeIntervalSince(first.at) > 1 {
                let perDay = now.timeIntervalSince(first.at) / Double(days - first.days)
                parts.append(DurationText.short(perDay * Double(total - days)) + " left")
            }
            return parts
        }
    }
}

/// Sizes for people: `1.4 GiB`.
enum ByteText {
    static func short(_ bytes: Int64) -> String {
        var value = Double(bytes)
        for unit in ["B", "KiB", "MiB", "GiB"] {
            if value < 1024 || unit == "GiB" {
                let tenths = Int((value * 10).rounded())
                return unit == "B" || tenths >= 1000
                    ? "\(tenths / 10) \(unit)" : "\(tenths / 10).\(tenths % 10) \(unit)"
            }
            value /= 1024
        }
        return "\(bytes) B"
    }
}

/// Times for people: `3 min 20 s`.
enum DurationText {
    static func short(_ seconds: Double) -> String {
        let whole = Int(max(0, min(seconds, 1e9)).rounded())
        if whole >= 3600 { return "\(whole / 3600) h \(whole % 3600 / 60) min" }
        return whole >= 60 ? "\(whole / 60) min \(whole % 60) s" : "\(whole) s"
    }
}
