"""The connected corpus protocol, phone side, version 4, from the published description alone.

Items, partitions, fingerprint, and the source's part of one session over JSON chunks with a window of 1.
"""
import base64
import hashlib
import json
import struct
import time
import uuid

EPOCH = 978_307_200
CHUNK = 524_288
TARGET = 48 * 1024 * 1024


class Signed(int):
    """An integer that the item carries as a signed integer (tag 5)."""


class Date(float):
    """Seconds since 2001 that the item carries as a date (tag 10)."""


def node(value):
    """One HMDCITEM node."""
    if isinstance(value, dict):
        entries = sorted((k.encode(), node(v)) for k, v in value.items())
        payload = struct.pack(">I", len(entries)) + b"".join(
            struct.pack(">I", len(k)) + k + struct.pack(">Q", len(v)) + v for k, v in entries)
        tag = 1
    elif isinstance(value, list):
        elements = [node(v) for v in value]
        payload = struct.pack(">Q", len(elements)) + b"".join(struct.pack(">Q", len(v)) + v for v in elements)
        tag = 2
    elif value is None:
        tag, payload = 3, b""
    elif isinstance(value, bool):
        tag, payload = 4, bytes([value])
    elif isinstance(value, Signed):
        tag, payload = 5, struct.pack(">q", value)
    elif isinstance(value, Date):
        tag, payload = 10, struct.pack(">d", value)
    elif isinstance(value, float):
        tag, payload = 7, struct.pack(">d", value)
    elif isinstance(value, str):
        tag, payload = 8, value.encode()
    else:
        raise TypeError(type(value))
    return bytes([tag]) + struct.pack(">Q", len(payload)) + payload


def item(kind, value):
    """A whole item: kind 1 is a health day, kind 2 a strict raw day."""
    return b"HMDCITEM" + struct.pack(">HBB", 1, kind, 0) + node(value)


def number(value):
    """Shortest round-trip text, whole numbers without a fraction."""
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def token(value):
    """Canonical text of one JSON value: members by encoded key, array elements by their bytes."""
    if isinstance(value, dict):
        members = sorted((token(k), token(v)) for k, v in value.items())
        return b"{" + b",".join(k + b":" + v for k, v in members) + b"}"
    if isinstance(value, list):
        return b"[" + b",".join(sorted(token(v) for v in value)) + b"]"
    if isinstance(value, bool) or value is None:
        return json.dumps(value).encode()
    if isinstance(value, (int, float)):
        return number(value).encode()
    return json.dumps(value, ensure_ascii=False).encode()


def fingerprint(manifest):
    return {"version": 1, "sha256": hashlib.sha256(token(manifest)).hexdigest()}


def digest(data):
    return hashlib.sha256(data).hexdigest()


def plain(value):
    """Whole numbers as JSON integers, so that both sides print them alike."""
    return int(value) if float(value).is_integer() else value


class Session:
    """One job's session. `items` are (date, bytes) in date order; partitions are cut by `budget` bytes."""

    def __init__(self, job, binding, manifest, kind, items, budget=TARGET - 1024 * 1024):
        self.manifest = manifest
        self.session = {
            "sessionID": str(uuid.uuid4()).upper(), "jobID": job, "requestFingerprint": fingerprint(manifest),
            "protocolVersion": 4, "partitionTargetBytes": TARGET, "createdAt": manifest["createdAt"],
            "peerBinding": binding}
        self.job = job
        self.partitions = list(self.pack(kind, items, budget))

    def pack(self, kind, items, budget):
        pending = [[str(uuid.uuid4()).upper(), date, data, 0] for date, data in items]
        index, previous = 0, None
        while pending:
            room, segments, payload = budget, [], []
            while pending and room and len(segments) < 32:
                identifier, date, data, offset = pending[0]
                piece = data[offset:offset + room]
                segments.append({
                    "itemID": identifier, "kind": kind, "sourceDate": plain(date), "isRequestedDate": True,
                    "totalItemBytes": len(data), "itemSHA256": digest(data), "itemOffset": offset,
                    "segmentBytes": len(piece), "isFinalSegment": offset + len(piece) == len(data)})
                payload.append(piece)
                room -= len(piece)
                pending[0][3] += len(piece)
                if pending[0][3] == len(data):
                    pending.pop(0)
            manifest = {"version": 1, "sessionID": self.session["sessionID"], "jobID": self.job,
                        "partitionIndex": index, "segments": segments}
            if previous:
                manifest["previousPartitionSHA256"] = previous
            head = json.dumps(manifest, sort_keys=True, separators=(",", ":")).encode()
            data = b"HMDCORP1" + struct.pack(">I", len(head)) + head + b"".join(payload)
            descriptor = {"sessionID": self.session["sessionID"], "jobID": self.job, "index": index,
                          "sourceDates": sorted({s["sourceDate"] for s in segments}), "byteCount": len(data),
                          "sha256": digest(data)}
            if previous:
                descriptor["previousSHA256"] = previous
            yield descriptor, data
            previous = descriptor["sha256"]
            index += 1

    def run(self, connection, first_index=0, stop_after=None):
        """Sends all partitions from `first_index` and finalizes. Returns (final ack, result or None)."""
        for descriptor, data in self.partitions[first_index:]:
            connection.send({"connectedCorpusTransferOpen": {"_0": {
                "session": self.session, "partition": descriptor, "exportManifest": self.manifest}}})
            answer = self.wait(connection, "connectedCorpusTransferDisposition")
            assert answer["partitionSHA256"] == descriptor["sha256"]
            if answer["disposition"] == "already_committed":
                continue
            assert answer["disposition"] in ("accept", "resume"), answer
            self.transfer(connection, descriptor, data)
            if stop_after is not None and descriptor["index"] >= stop_after:
                return None, None
        return self.finalize(connection)

    def transfer(self, connection, descriptor, data):
        transfer = str(uuid.uuid4()).upper()
        whole = {"totalBytes": len(data), "totalChunks": -(-len(data) // CHUNK), "sha256": descriptor["sha256"]}
        connection.send({"connectedTransferStart": {"_0": dict({
            "protocolVersion": 2, "transferID": transfer, "chunkBytes": CHUNK,
            "manifest": {"kind": "connected_corpus_partition_v1", "jobID": self.job, "payloadSchemaVersion": 1,
                         "corpusPartition": descriptor}}, **whole)}})
        self.acknowledged(connection, transfer, 0, descriptor["sha256"])
        for sequence in range(1, whole["totalChunks"] + 1):
            piece = data[(sequence - 1) * CHUNK:sequence * CHUNK]
            connection.send({"connectedTransferChunk": {"_0": {
                "transferID": transfer, "sequence": sequence, "data": base64.b64encode(piece).decode(),
                "sha256": digest(piece)}}})
            self.acknowledged(connection, transfer, sequence, digest(piece))
        connection.send({"connectedTransferComplete": {"_0": dict({"transferID": transfer}, **whole)}})
        answer = self.wait(connection, "connectedTransferFinalAck")
        assert answer["accepted"] and answer["sha256"] == descriptor["sha256"], answer

    def acknowledged(self, connection, transfer, sequence, expected):
        answer = self.wait(connection, "connectedTransferAck")
        assert answer["transferID"].upper() == transfer and answer["sequence"] == sequence, answer
        assert answer["accepted"] and answer["sha256"] == expected, answer

    def finalize(self, connection):
        last = self.partitions[-1][0]
        connection.send({"connectedCorpusTransferFinalize": {"_0": {
            "sessionID": self.session["sessionID"], "jobID": self.job,
            "requestFingerprint": self.session["requestFingerprint"], "partitionCount": len(self.partitions),
            "totalByteCount": sum(d["byteCount"] for d, _ in self.partitions),
            "finalPartitionSHA256": last["sha256"]}}})
        result = None
        while True:
            message = connection.receive()
            if "macExportResult" in message:
                result = message["macExportResult"]["_0"]
            if "macExportFailed" in message:
                result = message["macExportFailed"]["_0"]
            if "connectedCorpusTransferFinalAck" in message:
                return message["connectedCorpusTransferFinalAck"]["_0"], result

    @staticmethod
    def wait(connection, name):
        while True:
            message = connection.receive()
            if name in message:
                return message[name]["_0"]
            assert "connectedTransferAbort" not in message, message


def now():
    return round(time.time() - EPOCH, 3)
