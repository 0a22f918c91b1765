import CanonicalJSON

/// The documents of the routes. Optional members that are nil are left out; times are whole seconds in UTC
/// (control-api.md 2).
private func timestamp(_ seconds: Int64) throws(RouteError) -> JSONValue {
    guard let text = RFC3339.seconds(since1970: seconds) else { throw .encodeFailed }
    return .string(text)
}

extension ReceiverStatus {
    /// The body of `GET /v1/status` (control-api.md 4).
    var json: JSONValue {
        var object: JSONObject = [
            "mac_app": "running", "receiver": "running", "iphone": .object(phone.json),
            "phones": .array(
                phones.map { phone in
                    var entry = phone.json
                    entry.append("installation_id", ifPresent: phone.installationID.map { .string($0.uuidString) })
                    return .object(entry)
                }),
            "destination": destination.json,
        ]
        object.append("active_export", ifPresent: activeExport?.json)
        // An instant that has no text leaves the member out, not the whole status.
        object.append("open_pairing", ifPresent: try? openPairing?.json())
        return .object(object)
    }
}

extension ReceiverStatus.Phone {
    /// The members that `iphone` and `phones[]` share.
    fileprivate var json: JSONObject {
        var object: JSONObject = [
            "connected": .bool(isConnected), "can_trigger_exports": .bool(canTriggerExports),
            "can_trigger_raw_exports": .bool(canTriggerRawExports),
        ]
        object.append("name", ifPresent: name.map { .string($0) })
        return object
    }
}

extension ReceiverStatus.ActiveExport {
    fileprivate var json: JSONValue {
        var object: JSONObject = ["job_id": .string(jobID.uuidString)]
        object.append("message", ifPresent: message.map { .string($0) })
        durable.append(to: &object, withTotalDays: true)
        return .object(object)
    }
}

extension DestinationInformation {
    /// The member `destination` of the status, and the body of `PUT /v1/destination`.
    var json: JSONValue {
        var object: JSONObject = ["selected": .bool(isSelected), "writable": .bool(isWritable)]
        object.append("path", ifPresent: path.map { .string($0) })
        object.append("display_name", ifPresent: displayName.map { .string($0) })
        return .object(object)
    }
}

extension ReceiverVersion {
    /// The body of `GET /v1/version` (control-api.md 12).
    var json: JSONValue {
        func numbers(_ values: [Int]) -> JSONValue { .array(values.map { .integer($0) }) }
        let limits = limits.map { JSONObject.Member($0.key, .number(JSONNumber($0.value))) }
        return [
            "schema": "healthmd.receiver_version", "schema_version": 1, "version": .string(version),
            "corpus_protocol_versions": numbers(corpusProtocolVersions),
            "binary_frame_versions": numbers(binaryFrameVersions), "raw_result_versions": numbers(rawResultVersions),
            "accepted_health_data_versions": numbers(acceptedHealthDataVersions),
            "limits": .object(JSONObject(limits)),
        ]
    }
}

extension JobList {
    /// The body of `GET /v1/exports` (control-api.md 12).
    func json() throws(RouteError) -> JSONValue {
        var entries: [JSONValue] = []
        for job in jobs { entries.append(try job.json()) }
        var object: JSONObject = ["schema": "healthmd.job_list", "schema_version": 1, "jobs": .array(entries)]
        object.append("next_cursor", ifPresent: nextCursor.map { .string($0) })
        return .object(object)
    }
}

extension JobList.Entry {
    fileprivate func json() throws(RouteError) -> JSONValue {
        var object = response.json
        object.append("created_at", try timestamp(createdAt))
        object.append("updated_at", try timestamp(updatedAt))
        object.append("origin", .string(origin))
        object.append("response_mode", .string(responseMode.rawValue))
        object.append("raw_profile", ifPresent: rawProfile.map { .string($0.rawValue) })
        object.append(
            "date_range",
            ifPresent: dateRange.map {
                ["start": .string($0.lowerBound.description), "end": .string($0.upperBound.description)]
            })
        if let peerInstallationID {
            var peer: JSONObject = ["installation_id": .string(peerInstallationID.uuidString)]
            peer.append("name", ifPresent: peerName.map { .string($0) })
            object.append("peer", .object(peer))
        }
        return .object(object)
    }
}

extension JobVerification {
    /// The body of `POST /v1/exports/{id}/verify` (extensions.md 5).
    var json: JSONValue {
        [
            "job_id": .string(jobID.uuidString), "status": differences.isEmpty ? "intact" : "different",
            "files": .integer(files), "bytes": .number(JSONNumber(bytes)),
            "differences": .array(
                differences.map {
                    ["kind": .string($0.kind), "name": .string($0.name), "code": .string($0.code)]
                }),
        ]
    }
}

extension PairingInformation {
    /// The pairing object (extensions.md 5).
    func json() throws(RouteError) -> JSONValue { .object(try members()) }

    fileprivate func members() throws(RouteError) -> JSONObject {
        var object: JSONObject = [
            "pairing_id": .string(id.uuidString), "state": .string(state.rawValue),
            "expires_at": try timestamp(expiresAt), "code_style": .string(codeStyle.rawValue),
        ]
        object.append(
            "peer",
            ifPresent: peer.map {
                [
                    "installation_id": .string($0.installationID.uuidString), "name": .string($0.name),
                    "address": .string($0.address),
                ]
            })
        object.append("reason", ifPresent: reason.map { .string($0) })
        return object
    }
}

extension OpenedPairing {
    /// The body of the 201: the pairing object, the code, and where to dial.
    func json() throws(RouteError) -> JSONValue {
        var object = try pairing.members()
        object.append("code", .string(code))
        object.append(
            "listener", ["port": .integer(Int(port)), "addresses": .array(addresses.map { .string($0) })])
        return .object(object)
    }
}

extension PeerList {
    /// The body of `GET /v1/peers` (control-api.md 12).
    func json() throws(RouteError) -> JSONValue {
        var entries: [JSONValue] = []
        for device in devices { entries.append(try device.json()) }
        return [
            "schema": "healthmd.direct_devices", "schema_version": 1,
            "installation_id": .string(installationID.uuidString), "devices": .array(entries),
        ]
    }
}

extension PeerList.Device {
    fileprivate func json() throws(RouteError) -> JSONValue {
        var object: JSONObject = [
            "installation_id": .string(installationID.uuidString), "name": .string(name),
            "platform": .string(platform), "pairing_strength": .string(pairingStrength.rawValue),
            "paired_at": try timestamp(pairedAt),
        ]
        if let lastConnectedAt { object.append("last_connected_at", try timestamp(lastConnectedAt)) }
        return .object(object)
    }
}
