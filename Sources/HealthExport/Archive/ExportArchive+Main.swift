extension ExportArchive {
    /// Finds the main file by its content: the one whose first element, or document type, is `HealthData`
    /// (apple-health-export.md 2). Names are translated and not to be trusted.
    ///
    /// - Throws: `no_main_file`, `only_clinical_document`, `several_main_files`, and what opening an entry throws.
    public func mainFile() throws -> ExportFile {
        if case .single = container { return files[0] }
        if let givenMain, let main = files.first(where: { $0.name == givenMain }) { return main }
        var found: [ExportFile] = []
        var hasClinicalDocument = false
        var refusal: ExportError?
        for file in files where file.name.lowercased().hasSuffix(".xml") {
            do {
                switch try root(of: file) {
                case "HealthData": found.append(file)
                case "ClinicalDocument": hasClinicalDocument = true
                default: continue
                }
            } catch let error as ExportError {
                // Told only when no other file will do.
                refusal = error
            }
        }
        guard found.count < 2 else {
            throw ExportError.severalMainFiles(path: path, names: found.map(\.name))
        }
        guard let main = found.first else {
            if let refusal { throw refusal }
            throw hasClinicalDocument
                ? ExportError.onlyClinicalDocument(path: path) : ExportError.noMainFile(path: path)
        }
        return main
    }

    /// The name of a file's document type, else of its first element; nil when it has neither in its first megabyte.
    private func root(of file: ExportFile) throws -> String? {
        var scanner = TagScanner(source: Head(try stream(file)))
        defer { scanner.deallocate() }
        try scanner.skipSignature(entry: file.name)
        let token = try scanner.next()
        if let name = scanner.doctypeName { return name }
        return token == .start ? scanner.element.text : nil
    }

    /// The first megabyte of a stream.
    private final class Head: ByteSource {
        private let source: any ByteSource
        private var rest = ExportReader.rootSearchLimit

        init(_ source: any ByteSource) { self.source = source }

        func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
            guard rest > 0 else { return 0 }
            let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(rest, buffer.count)])
            let count = try source.read(into: piece)
            rest -= count
            return count
        }
    }
}
