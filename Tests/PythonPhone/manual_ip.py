"""Manual IP transport, phone side, from the published description alone: packets, proofs, channel.

Knows nothing of this project's extensions: no secure records, no extra hello keys. The primitives come from libsodium
through ctypes; everything else is Python's standard library.
"""
import base64
import ctypes
import ctypes.util
import hashlib
import hmac
import json
import os
import socket
import struct
import uuid

_sodium = ctypes.CDLL(ctypes.util.find_library("sodium") or "libsodium.so.23")
if _sodium.sodium_init() < 0:
    raise RuntimeError("libsodium does not start")


def x25519_base(private):
    out = ctypes.create_string_buffer(32)
    _sodium.crypto_scalarmult_base(out, private)
    return out.raw


def x25519(private, public):
    out = ctypes.create_string_buffer(32)
    if _sodium.crypto_scalarmult(out, private, public) != 0 or out.raw == bytes(32):
        raise ValueError("weak key")
    return out.raw


def seal(key, nonce, plain):
    out = ctypes.create_string_buffer(len(plain) + 16)
    length = ctypes.c_ulonglong()
    _sodium.crypto_aead_chacha20poly1305_ietf_encrypt(
        out, ctypes.byref(length), plain, ctypes.c_ulonglong(len(plain)), None, ctypes.c_ulonglong(0), None, nonce, key)
    return out.raw[:-16], out.raw[-16:]


def open_sealed(key, nonce, cipher, tag):
    out = ctypes.create_string_buffer(max(1, len(cipher)))
    length = ctypes.c_ulonglong()
    sealed = cipher + tag
    if _sodium.crypto_aead_chacha20poly1305_ietf_decrypt(
            out, ctypes.byref(length), None, sealed, ctypes.c_ulonglong(len(sealed)), None, ctypes.c_ulonglong(0),
            nonce, key) != 0:
        raise ValueError("authentication failed")
    return out.raw[: len(cipher)]


def framed(data):
    return struct.pack(">Q", len(data)) + data


def mac(key, *parts):
    return hmac.new(key, b"".join(parts), hashlib.sha256).digest()


def b64(data):
    return base64.b64encode(data).decode()


class Connection:
    """One connection: `pair` or `reconnect`, then `send` and `receive` of message dictionaries."""

    DOMAIN = b"HealthMd.ManualIP."

    def __init__(self, host, port, installation_id, timeout=30):
        self.socket = socket.create_connection((host, port), timeout=timeout)
        self.id = installation_id
        self.buffer = b""

    def close(self):
        self.socket.close()

    def packet(self):
        def take(count):
            while len(self.buffer) < count:
                piece = self.socket.recv(1 << 18)
                if not piece:
                    raise EOFError("the listener closed the connection")
                self.buffer += piece
            data, self.buffer = self.buffer[:count], self.buffer[count:]
            return data

        (length,) = struct.unpack(">Q", take(8))
        if not 0 < length <= 104_857_600:
            raise ValueError("packet length out of range")
        return json.loads(take(length))

    def put(self, packet):
        data = json.dumps(packet).encode()
        self.socket.sendall(framed(data))

    def handshake(self, request):
        private = os.urandom(32)
        public, nonce = x25519_base(private), os.urandom(32)
        identity = framed(str(self.id).lower().encode())
        self.put({"pairingRequest": {"_0": dict(
            {"protocolVersion": 2, "deviceName": "Python phone", "clientPublicKey": b64(public),
             "clientNonce": b64(nonce), "codeVerifier": "", "clientInstallationID": str(self.id).upper()},
            **request(public, nonce, identity))}})
        answer = self.packet()
        if "pairingRejected" in answer:
            raise PermissionError(answer["pairingRejected"]["_0"]["reason"])
        answer = answer["pairingResponse"]["_0"]
        assert answer["protocolVersion"] == 2
        server_public = base64.b64decode(answer["serverPublicKey"])
        server_nonce = base64.b64decode(answer["serverNonce"])
        self.peer = uuid.UUID(answer["macInstallationID"])
        self.key = hashlib.sha256(
            self.DOMAIN + b"SessionKey.v1" + x25519(private, server_public) + nonce + server_nonce).digest()
        transcript = identity + framed(public) + framed(nonce) + framed(str(self.peer).lower().encode()) + framed(
            server_public) + framed(server_nonce)
        return answer, transcript

    def pair(self, code):
        """Pairs by code; returns the reconnect secret."""
        code_key = hashlib.sha256(self.DOMAIN + b"Code." + code.encode()).digest()
        answer, transcript = self.handshake(lambda public, nonce, identity: {
            "codeVerifier": b64(mac(code_key, self.DOMAIN + b"PairingVerifier.v1", public, nonce))})
        frame = {k: base64.b64decode(v) for k, v in answer["sealedReconnectSecret"].items()}
        expected = mac(code_key, self.DOMAIN + b"PairingServer.v1", transcript, b"\x01", framed(frame["nonce"]),
                       framed(frame["ciphertext"]), framed(frame["tag"]))
        assert hmac.compare_digest(expected, base64.b64decode(answer["authenticationVerifier"])), "server proof"
        secret = open_sealed(self.key, frame["nonce"], frame["ciphertext"], frame["tag"])
        assert len(secret) == 32
        return secret

    def reconnect(self, secret, peer):
        """Trusted reconnect with the secret of an earlier pairing."""
        answer, transcript = self.handshake(lambda public, nonce, identity: {
            "trustedVerifier": b64(mac(secret, self.DOMAIN + b"TrustedClient.v1", identity, framed(public),
                                       framed(nonce)))})
        assert self.peer == peer, "another installation answered"
        assert "sealedReconnectSecret" not in answer
        expected = mac(secret, self.DOMAIN + b"TrustedServer.v1", transcript, b"\x00")
        assert hmac.compare_digest(expected, base64.b64decode(answer["authenticationVerifier"])), "server proof"

    def send(self, message):
        nonce = os.urandom(12)
        cipher, tag = seal(self.key, nonce, json.dumps(message).encode())
        self.put({"encrypted": {"_0": {"nonce": b64(nonce), "ciphertext": b64(cipher), "tag": b64(tag)}}})

    def receive(self):
        """The next message; pings are answered here."""
        while True:
            frame = {k: base64.b64decode(v) for k, v in self.packet()["encrypted"]["_0"].items()}
            message = json.loads(open_sealed(self.key, frame["nonce"], frame["ciphertext"], frame["tag"]))
            if "ping" in message:
                self.send({"pong": {}})
                continue
            return message
