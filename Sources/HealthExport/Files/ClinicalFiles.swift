import HealthRecords

extension ExportArchive {
    /// Bytes of one clinical resource; they are a few kilobytes.
    public static let clinicalByteLimit = 16 << 20
    /// How much of a JSON file is searched for `"resourceType"`.
    private static let clinicalHeadSize = 1 << 16

    /// The files that hold FHIR resources, known by their content: some have no element in the main file.
    public func clinicalFiles() throws -> [ExportFile] {
        try files.filter { file in
            guard file.name.lowercased().hasSuffix(".json") else { return false }
            let source = try stream(file)
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.clinicalHeadSize, alignment: 16)
            defer { buffer.deallocate() }
            let count = try source.read(into: buffer)
            return String(decoding: buffer[..<count], as: UTF8.self).contains("\"resourceType\"")
        }
    }

    /// The resource that a clinical record names; nil when its file is missing.
    public func resource(of record: ClinicalRecord, from main: ExportFile) throws -> [UInt8]? {
        guard let path = record.resourcePath, let file = try file(atReference: path, from: main) else { return nil }
        return try bytes(file, limit: Self.clinicalByteLimit)
    }

    /// The recordings in the export's CSV files. A CSV that is no recording is passed over.
    public func electrocardiograms(body: (Electrocardiogram) throws -> Void) throws {
        for file in files where file.name.lowercased().hasSuffix(".csv") {
            guard file.size <= ElectrocardiogramReader.byteLimit else { continue }
            let bytes = try bytes(file, limit: ElectrocardiogramReader.byteLimit)
            if let recording = ElectrocardiogramReader.read(bytes, fileName: file.name) { try body(recording) }
        }
    }
}
