#!/usr/bin/env python3
"""The archive's service with its sealed days in an S3 API server of somebody else (moto), over loopback.

The server checks signatures against keys that it gave out itself. Claiming, pushing 1,100 days, reading them with a fresh
profile, edits, restarts, listings of several pages, wrong keys, a missing bucket, an object that is deleted, a store that
goes away and comes back, and a service that is killed in the middle of an upload. Prints PASSED, or SKIPPED with the reason.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "Tools"))
from archive_rig import Failed, Proxy, Reader, Service, Writer, check, fresh_copy, make_export, meal, same_days, until
from sides import stop_on_terminate

VENV = pathlib.Path(os.environ.get("HEALTHMD_MOTO", ROOT / ".build/test-extra/moto"))
PACKAGE = "moto[server]>=5,<6"
REGION = "eu-central-1"
BUCKET = "sealed-days"
DAYS = 1_100


def skip(why):
    print(f"SKIPPED s3: {why}")
    sys.exit(0)


def in_venv():
    """Goes on in the folder of moto, made on the first run."""
    python = VENV / "bin/python3"
    if not (VENV / "bin/moto_server").exists():
        for command in ([sys.executable, "-m", "venv", str(VENV)], [str(VENV / "bin/pip"), "-q", "install", PACKAGE]):
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=600)
            except (OSError, subprocess.TimeoutExpired) as error:
                skip(f"{PACKAGE} cannot be installed: {error}")
            if done.returncode != 0:
                skip(f"{PACKAGE} cannot be installed: {(done.stderr or done.stdout).strip().splitlines()[-1:]}")
    if pathlib.Path(sys.prefix).resolve() != VENV.resolve():
        os.execv(python, [str(python), os.path.abspath(__file__)])


class ObjectStore:
    """moto's server; every request but the first few must be signed with a key that it knows."""

    def __init__(self, work):
        import boto3
        # The port that moto chose stands in its log.
        self.log = work / "moto.log"
        self.process = subprocess.Popen(
            [str(VENV / "bin/moto_server"), "-H", "127.0.0.1", "-p", "0"], stdout=open(self.log, "wb"),
            stderr=subprocess.STDOUT,
            # One user, one key, one policy, one bucket; from then on who asks must be known.
            env={**os.environ, "INITIAL_NO_AUTH_ACTION_COUNT": "4", "PYTHONUNBUFFERED": "1"})
        until(lambda: b"Running on http" in self.log.read_bytes(), "moto starts", 60)
        self.port = int(self.log.read_text().split("Running on http://127.0.0.1:")[1].split()[0].rstrip("\x1b[0m"))
        self.url = f"http://127.0.0.1:{self.port}"
        options = {"endpoint_url": self.url, "region_name": REGION, "aws_access_key_id": "first",
                   "aws_secret_access_key": "first"}
        iam = boto3.client("iam", **options)
        iam.create_user(UserName="archive")
        key = iam.create_access_key(UserName="archive")["AccessKey"]
        self.key, self.secret = key["AccessKeyId"], key["SecretAccessKey"]
        iam.put_user_policy(
            UserName="archive", PolicyName="all",
            PolicyDocument='{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"*","Resource":"*"}]}')
        boto3.client("s3", **options).create_bucket(
            Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": REGION})
        self.client = boto3.client(
            "s3", endpoint_url=self.url, region_name=REGION, aws_access_key_id=self.key,
            aws_secret_access_key=self.secret)

    def keys(self):
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET)
        return [entry["Key"] for page in pages for entry in page.get("Contents", [])]

    def delete(self, key):
        self.client.delete_object(Bucket=BUCKET, Key=key)

    def stop(self):
        self.process.kill()
        self.process.wait()


def credentials(work, name, key, secret):
    path = work / name
    path.write_text(f"[default]\naws_access_key_id = {key}\naws_secret_access_key = {secret}\n")
    path.chmod(0o600)
    return path


def refusals(work, store):
    """What the operator gets to read before anything is taken."""
    # Unsigned and wrongly signed requests are refused by this server: otherwise the rest would prove nothing.
    try:
        urllib.request.urlopen(f"{store.url}/{BUCKET}")
        raise Failed("the server lets everybody in")
    except urllib.error.HTTPError:
        # 403 from a store; this one trips over the missing header, which keeps us out as well.
        pass
    good = credentials(work, "good", store.key, store.secret)
    cases = [
        ("wrong-secret", f"s3://{BUCKET}/x", credentials(work, "bad1", store.key, "no" + store.secret[2:]),
         "SignatureDoesNotMatch"),
        ("wrong-id", f"s3://{BUCKET}/x", credentials(work, "bad2", "AKIANOBODY", store.secret), "InvalidAccessKeyId"),
        ("no-bucket", "s3://nothing-here/x", good, "NoSuchBucket"),
    ]
    for name, location, keys, word in cases:
        service = Service(work / name, "--store", location, "--s3-endpoint", store.url, "--s3-region", REGION,
                          "--s3-credentials-file", keys)
        service.start(expect_start=False)
        check(service.process.wait(timeout=30) == 1, f"{name}: it started")
        check(word in service.text() and "object_store_refused" in service.text(), f"{name}: {service.text()}")
        check(store.secret not in service.text() and store.secret[2:] not in service.text(), f"{name}: shows a secret")
    good.chmod(0o644)
    service = Service(work / "open-file", "--store", f"s3://{BUCKET}/x", "--s3-endpoint", store.url,
                      "--s3-credentials-file", good).start(expect_start=False)
    check(service.process.wait(timeout=30) == 1 and "not_private" in service.text(), "a credentials file for all to read")
    good.chmod(0o600)
    return good


def whole_way(work, store, keys):
    make_export(work / "export.xml", DAYS, 6)
    proxy = Proxy(store.port)
    service = Service(work / "service", "--store", f"s3://{BUCKET}/health/sealed", "--s3-endpoint", proxy.url,
                      "--s3-region", REGION, "--s3-credentials-file", keys).start()
    writer = Writer(work / "writer")
    writer.load(work / "export.xml")
    check(writer.init(service).document["archive"] == "created", "the claim")
    sent = writer.push().document
    check(sent["sent"] >= DAYS and sent["owed"] == 0, f"first push: {sent}")
    days = sent["sent"]
    held = store.keys()
    check(len(held) == days and all(key.startswith("health/sealed/") for key in held), f"{len(held)} objects")
    check(not service.files(), "days lie in the folder as well")

    # The same days through a service that keeps them in files.
    fresh_copy(work / "writer", work / "local-writer")
    local = Service(work / "local").start()
    local_writer = Writer(work / "local-writer")
    local_writer.init(local)
    check(local_writer.push().document["sent"] == days, "the push to files")
    expected = Reader(work / "local-reader").connect(local_writer.handoff())
    expected.sync()
    local.stop()

    proxy.take()
    reader = Reader(work / "reader").connect(writer.handoff())
    reader.sync()
    same_days(reader.days(), expected.days(), "first sync")
    asked = [line for line in proxy.take() if "list-type=2" in line]
    # Each page of the service asks for the span of its own days, and for the one behind it.
    check(-(-days // 1000) <= len(asked) <= 2 * -(-days // 1000), f"{len(asked)} pages asked of the store")
    check(writer.push().document["sent"] == 0, "a second push sent something")

    # Edits, and the rewritten day replaces its object.
    reader.write([meal("lunch", 31.5)])
    edited = writer.push().document
    check(edited["edits"][0]["status"] == "applied" and edited["sent"] == 1, f"edit: {edited}")
    check(len(store.keys()) == days, "a replaced day left its object")
    check("1 days copied" in reader.sync().output.decode(), "the edited day")
    check(b"31.5" in b"".join(reader.days().values()), "the entry")

    # Another process of the service, another profile.
    service.stop()
    service.start()
    again = Reader(work / "again").connect(writer.handoff())
    again.sync()
    same_days(again.days(), reader.days(), "after a restart")

    # An object that is deleted: the next daily check sends its day again.
    store.delete(store.keys()[DAYS // 2])
    writer.forget_daily_check()
    found = writer.push().document
    check(found["missing_in_archive"] == 1 and found["sent"] == 1, f"a deleted object: {found}")
    check(len(store.keys()) == days, "after the daily check")
    check("1 stored days are gone" in service.text(), "the operator did not hear of the lost day")
    return proxy, service, writer, reader, days


def trouble(work, store, proxy, service, writer, reader, days):
    # The store goes away: nothing is said to be stored, reads are refused, what is known stands.
    proxy.left = 0
    reader.write([meal("dinner", 12.25)])
    away = writer.push(checked=False)
    check(away.status == 1 and away.document["sent"] == 0 and away.document["owed"] > 0, f"away: {away.document}")
    check("object_store_unreachable" in service.text(), "the operator did not hear of it")
    numbers = reader.run("status").output.decode()
    check(f"{days} days" in numbers, numbers)
    refused = reader.run("ask", "--since", "2026-01-01", checked=False)
    check(refused.status == 2 and b"502" in refused.errors, f"a read without its store: {refused.errors}")
    service.stop()
    service.start()
    check("object_store_unreachable" in service.text(), "a start without its store")
    proxy.left = None
    back = writer.push().document
    check(back["owed"] == 0 and back["sent"] == 1, f"back: {back}")

    # It goes away in the middle: the days that landed are named, the others go with the next push.
    fresh_copy(work / "writer", work / "half-writer")
    half = Service(work / "half", "--store", f"s3://{BUCKET}/half", "--s3-endpoint", proxy.url, "--s3-region", REGION,
                   "--s3-credentials-file", work / "good").start()
    half_writer = Writer(work / "half-writer")
    half_writer.init(half)
    proxy.left = 200
    first = half_writer.push(checked=False).document
    held = {key.split("/")[-1][:10] for key in store.keys() if key.startswith("half/")}
    check(0 < first["sent"] < days and set(half_writer.accepted()) <= held, f"in the middle: {first}")
    proxy.left = None

    # The service is killed while objects are on their way.
    killed = []

    def kill(line):
        killed.append(line)
        if len(killed) == 100:
            half.kill()

    proxy.on_request = kill
    check(half_writer.push(checked=False).status != 0, "a push to a killed service")
    proxy.on_request = None
    named = set(half_writer.accepted())
    half.start()
    listed = {row[0] for row in half.rows("SELECT day FROM days")}
    check(named <= listed, "the writer believes in days that the service does not list")
    check(half_writer.push().document["owed"] == 0, "the push after the kill")
    objects = [key for key in store.keys() if key.startswith("half/")]
    check(len(objects) == days, f"{len(objects)} objects for {days} days: something stayed behind")
    last = Reader(work / "half-reader").connect(half_writer.handoff())
    last.sync()
    reader.sync()
    same_days(last.days(), reader.days(), "after the kill")
    half.stop()


def main():
    in_venv()
    stop_on_terminate()
    work = pathlib.Path(tempfile.mkdtemp(prefix="healthmd-s3."))
    store, services = None, []
    try:
        store = ObjectStore(work)
        keys = refusals(work, store)
        proxy, service, writer, reader, days = whole_way(work, store, keys)
        services.append(service)
        trouble(work, store, proxy, service, writer, reader, days)
        service.stop()
        print(f"PASSED s3: {days} days through a signature-checking S3 API server: push, sync, edits, restart, paging, "
              "deletion, wrong keys, store away, kill")
    except Failed as failure:
        print(f"FAILED s3: {failure} (kept: {work})")
        sys.exit(1)
    finally:
        for service in services:
            service.kill()
        if store:
            store.stop()
    shutil.rmtree(work)


if __name__ == "__main__":
    main()
