/// What is wrong with the body of `POST /v1/exports` and its relatives: HTTP 400 (control-api.md 5, extensions.md 5).
enum ExportRequestError: Error, Equatable {
    /// The text says what was expected.
    case invalidJSON(String)
    case invalidJobID
    case unsupportedSource
    case invalidDateRange
    case ambiguousDateSelection
    case unsupportedDateSelection
    case unsupportedSettingsPolicy
    case unsupportedResponseMode
    case unsupportedRawProfile
    case rawProfileRequiresRawJSON
    case selectionRequiresProjectionOrFiles
    case selectionRequiresRequestedSettings
    case invalidSelection
    /// Which: shortened and made printable, for it comes from outside.
    case unknownMetric(String)
    case unknownMetricCategory(String)
    case emptySelection
    case unsupportedCanonicalSource
    case unsupportedDetailLevel
    case pathsRequireProjection
    case invalidPath
    case projectionSelectionMismatch
    case invalidTimeout
    case invalidDeviceID
    case invalidDestination

    /// The stable code.
    var code: String {
        switch self {
        case .invalidJSON: "invalid_json"
        case .invalidJobID: "invalid_job_id"
        case .unsupportedSource: "unsupported_source"
        case .invalidDateRange: "invalid_date_range"
        case .ambiguousDateSelection: "ambiguous_date_selection"
        case .unsupportedDateSelection: "unsupported_date_selection"
        case .unsupportedSettingsPolicy: "unsupported_settings_policy"
        case .unsupportedResponseMode: "unsupported_response_mode"
        case .unsupportedRawProfile: "unsupported_raw_profile"
        case .rawProfileRequiresRawJSON: "raw_profile_requires_raw_json"
        case .selectionRequiresProjectionOrFiles: "canonical_selection_requires_projection_or_files"
        case .selectionRequiresRequestedSettings: "canonical_selection_requires_requested_settings"
        case .invalidSelection: "invalid_canonical_selection"
        case .unknownMetric: "unknown_metric"
        case .unknownMetricCategory: "unknown_metric_category"
        case .emptySelection: "empty_canonical_selection"
        case .unsupportedCanonicalSource: "unsupported_canonical_source"
        case .unsupportedDetailLevel: "unsupported_detail_level"
        case .pathsRequireProjection: "field_projection_requires_health_data_projection"
        case .invalidPath: "invalid_canonical_path"
        case .projectionSelectionMismatch: "projection_selection_mismatch"
        case .invalidTimeout: "invalid_timeout"
        case .invalidDeviceID: "invalid_device_id"
        case .invalidDestination: "invalid_destination"
        }
    }

    /// A sentence with the next step.
    var message: String {
        switch self {
        case .invalidJSON(let expected): expected
        case .invalidJobID: "job_id must be a UUID; leave it out to have one made."
        case .unsupportedSource: "source takes connected_iphone."
        case .invalidDateRange:
            "Give date_range with start and end as YYYY-MM-DD, start not after end, at most 36,600 days; "
                + "date_selection all_available takes every day."
        case .ambiguousDateSelection: "all_available takes no date range; leave one of them out."
        case .unsupportedDateSelection: "date_selection takes explicit_range or all_available."
        case .unsupportedSettingsPolicy: "settings_policy takes requested_dates_only or current_iphone_settings."
        case .unsupportedResponseMode: "response_mode takes write_files or raw_json."
        case .unsupportedRawProfile: "raw_profile takes canonical_source_records_v1 or health_data_projection."
        case .rawProfileRequiresRawJSON: "raw_profile needs response_mode raw_json."
        case .selectionRequiresProjectionOrFiles:
            "canonical_selection needs raw_profile health_data_projection or response_mode write_files."
        case .selectionRequiresRequestedSettings:
            "canonical_selection needs settings_policy requested_dates_only."
        case .invalidSelection:
            "Name at most 512 metrics and 64 categories, none twice, or all_metrics alone."
        case .unknownMetric(let name):
            "There is no metric \(Self.quoted(name)). `healthmd metrics` lists them."
        case .unknownMetricCategory(let name):
            "There is no category \(Self.quoted(name)). `healthmd metrics` lists them."
        case .emptySelection: "The selection holds no metric. Name metrics, categories or all_metrics."
        case .unsupportedCanonicalSource: "source_ids takes [\"apple_health\"]."
        case .unsupportedDetailLevel: "detail_level takes summary or lossless."
        case .pathsRequireProjection: "object_paths and field_pointers need raw_profile health_data_projection."
        case .invalidPath:
            "Give at most 128 object paths and 256 field pointers, each a JSON Pointer of at most 1,024 bytes."
        case .projectionSelectionMismatch: "health_data_projection needs a canonical_selection."
        case .invalidTimeout: "wait_timeout_seconds takes 5 to 900."
        case .invalidDeviceID: "device_id must be the UUID of a paired phone. `healthmd devices` lists them."
        case .invalidDestination:
            "The destination must be an absolute path, and in an export response_mode must be write_files."
        }
    }

    /// A name from outside in a text for people: printable ASCII, at most 64 characters.
    private static func quoted(_ name: String) -> String {
        let printable = name.unicodeScalars.prefix(64).map { (0x20...0x7E).contains($0.value) ? Character($0) : "?" }
        return "“\(String(printable))”"
    }
}
