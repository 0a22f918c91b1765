// swift-tools-version: 6.2

import PackageDescription

// Dependencies point downwards only. The tiers, from the top:
//
//   healthmd
//   Receiver  Sender  DayArchive  Biomarkers  HealthDatabase
//   HealthData  HealthExport  RawResult  ConnectedProtocol  HTTPService  HTTPClient
//   HMDCItem  HealthRecords  Transport  DurableStore  Cryptography
//   CanonicalJSON
//   CLibraries/C…
//
// `Tools/check-layers.py` holds the sources to this picture.

let common: [SwiftSetting] = [.treatAllWarnings(as: .error)]
let pure: [SwiftSetting] = common + [.strictMemorySafety()]

func cLibrary(_ name: String, pkgConfig: String, package: String) -> Target {
    .systemLibrary(
        name: name, path: "Sources/CLibraries/\(name)", pkgConfig: pkgConfig, providers: [.apt([package])])
}

func room(_ name: String, _ dependencies: [Target.Dependency], settings: [SwiftSetting] = common) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies + ["TestSupport"], swiftSettings: common)
}

// `HEALTHMD_TESTS=SenderTests swift test` builds that test target alone: quicker while one room is worked on.
let chosenTests = Context.environment["HEALTHMD_TESTS"]?.split(separator: ",").map(String.init)

func isWanted(_ target: Target) -> Bool {
    target.type != .test || chosenTests?.contains(target.name) ?? true
}

// `make fuzz` sets this: the fuzz targets need a sanitizer that no other build has.
let fuzzTargets: [Target] =
    Context.environment["HEALTHMD_FUZZ"] == nil
    ? []
    : [
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "Receiver", "Biomarkers", "ConnectedProtocol", "HTTPService", "HealthExport", "HealthData",
                "HealthRecords", "HMDCItem", "Transport", "Cryptography", "CanonicalJSON",
            ],
            path: "Fuzz", exclude: ["README.md"], swiftSettings: common)
    ]

let package = Package(
    name: "healthmd",
    products: [.executable(name: "healthmd", targets: ["healthmd"])],
    targets: [
        // C libraries from Debian.
        cLibrary("CCrypto", pkgConfig: "libcrypto", package: "libssl-dev"),
        cLibrary("CSodium", pkgConfig: "libsodium", package: "libsodium-dev"),
        cLibrary("CMicroHTTPD", pkgConfig: "libmicrohttpd", package: "libmicrohttpd-dev"),
        cLibrary("CSQLite", pkgConfig: "sqlite3", package: "libsqlite3-dev"),
        cLibrary("CZlib", pkgConfig: "zlib", package: "zlib1g-dev"),
        cLibrary("CCurl", pkgConfig: "libcurl", package: "libcurl4-openssl-dev"),
        .target(name: "CLinux", path: "Sources/CLibraries/CLinux"),

        // What everything stands on.
        room("CanonicalJSON", []),
        room("Cryptography", ["CCrypto", "CSodium"]),
        room("DurableStore", ["CSQLite", "CLinux"]),
        room("Transport", ["CLinux"]),
        room("HMDCItem", [], settings: pure),
        room("HealthRecords", ["CanonicalJSON"]),

        // What the data means.
        room("ConnectedProtocol", ["HMDCItem", "Cryptography", "CanonicalJSON"], settings: pure),
        room("HTTPService", ["CMicroHTTPD", "CLinux", "Transport"]),
        room("HTTPClient", ["CCurl"]),
        room("HealthExport", ["HealthRecords", "CanonicalJSON", "DurableStore", "Cryptography", "CZlib"]),
        room("RawResult", ["CanonicalJSON"]),
        room("HealthData", ["HealthRecords", "CanonicalJSON", "Cryptography", "CZlib"]),

        // The jobs.
        room(
            "Receiver",
            [
                "ConnectedProtocol", "HMDCItem", "HealthData", "HTTPService", "RawResult", "Transport", "DurableStore",
                "Cryptography", "CanonicalJSON",
            ]),
        room(
            "Sender",
            [
                "ConnectedProtocol", "HMDCItem", "HealthData", "HealthExport", "HealthRecords", "Transport",
                "DurableStore",
                "Cryptography", "CanonicalJSON",
            ]),
        room(
            "DayArchive",
            [
                "HealthData", "HealthExport", "HealthRecords", "HTTPService", "HTTPClient", "Transport", "DurableStore",
                "Cryptography", "CanonicalJSON", "CZlib",
            ]),
        room("Biomarkers", ["HealthExport", "HealthRecords", "DurableStore", "Cryptography", "CanonicalJSON"]),
        room("HealthDatabase", ["HealthData", "HealthRecords", "DurableStore", "Cryptography", "CanonicalJSON"]),

        .executableTarget(
            name: "healthmd",
            dependencies: [
                "Receiver", "Sender", "DayArchive", "Biomarkers", "HealthDatabase", "HealthData", "HealthExport",
                "RawResult",
                "ConnectedProtocol",
                "HMDCItem", "HealthRecords", "Transport", "DurableStore", "Cryptography", "CanonicalJSON", "HTTPClient",
            ],
            swiftSettings: common),

        // Tests mirror the sources.
        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: common),
        tests("CanonicalJSONTests", ["CanonicalJSON"]),
        tests("CryptographyTests", ["Cryptography"]),
        tests("DurableStoreTests", ["DurableStore"]),
        tests("TransportTests", ["Transport"]),
        tests("ItemCodecTests", ["HMDCItem"]),
        tests("PartitionTests", ["ConnectedProtocol", "Cryptography", "HMDCItem"]),
        tests("HTTPServiceTests", ["HTTPService", "Transport"]),
        tests("HealthExportTests", ["HealthExport", "DurableStore"]),
        tests("RawResultTests", ["RawResult", "CanonicalJSON", "Cryptography"]),
        tests("HealthRecordsTests", ["HealthRecords", "CanonicalJSON"]),
        tests("HealthDataTests", ["HealthData", "HMDCItem", "CanonicalJSON"]),
        tests("ReceiverTests", ["Receiver", "ConnectedProtocol", "HMDCItem", "DurableStore"]),
        tests("SenderTests", ["Sender", "Receiver", "ConnectedProtocol", "HMDCItem", "DurableStore", "HealthExport"]),
        tests("SimulatorTests", ["Sender", "Receiver", "ConnectedProtocol", "HMDCItem", "DurableStore", "HealthData"]),
        tests(
            "DayArchiveTests",
            [
                "DayArchive", "HealthRecords", "HealthData", "HealthExport", "DurableStore", "HTTPService",
                "HTTPClient",
                "Transport", "Cryptography", "CanonicalJSON",
            ]),
        tests("BiomarkersTests", ["Biomarkers", "HealthExport"]),
        tests("HealthDatabaseTests", ["HealthDatabase", "HealthData", "DurableStore", "CanonicalJSON"]),
        tests(
            "CommandLineTests",
            ["healthmd", "DayArchive", "DurableStore", "HTTPService", "HMDCItem", "CanonicalJSON", "Cryptography"]),
        tests("EndToEndTests", []),
    ].filter(isWanted) + fuzzTargets,
    swiftLanguageModes: [.v6]
)
