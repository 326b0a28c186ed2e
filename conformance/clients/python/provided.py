"""librdkafka and Pulsar's C++ client, which get their tokens from an identity provider by themselves (OAuth2, client credentials).

usage: provided.py FOLDER BOOTSTRAP SERVICE_URL ISSUER
FOLDER has ca.pem, and alice.cpp.json for Pulsar's client.
Both write until the input ends; exits with 1 and one line at the first message or connection that fails.
"""
import sys
import threading

import pulsar
from confluent_kafka import Producer

FOLDER, BOOTSTRAP, SERVICE_URL, ISSUER = sys.argv[1:]
SECRET = "client secret"

ended = threading.Event()
failures = []


def fail(line):
    failures.append(line)
    ended.set()


def librdkafka():
    producer = Producer({
        "bootstrap.servers": BOOTSTRAP, "ssl.ca.location": FOLDER + "/ca.pem", "security.protocol": "SASL_SSL",
        "sasl.mechanism": "OAUTHBEARER", "sasl.oauthbearer.method": "oidc", "sasl.oauthbearer.client.id": "alice.librdkafka",
        "sasl.oauthbearer.client.secret": SECRET, "sasl.oauthbearer.token.endpoint.url": ISSUER + "/token",
        "message.timeout.ms": 30_000, "error_cb": lambda error: fail(f"librdkafka: {error}")})
    while not ended.wait(0.1):
        producer.produce("secured-provided-librdkafka", b"hello",
                         on_delivery=lambda error, _: error and fail(f"librdkafka, a record: {error}"))
        producer.poll(0)
    if producer.flush(30):
        fail("librdkafka: records are without an answer")


def cpp():
    client = pulsar.Client(
        SERVICE_URL, tls_trust_certs_file_path=FOLDER + "/ca.pem", tls_validate_hostname=True, operation_timeout_seconds=20,
        authentication=pulsar.AuthenticationOauth2(
            f'{{"issuer_url": "{ISSUER}", "private_key": "{FOLDER}/alice.cpp.json", "audience": "sluice"}}'),
        logger=pulsar.ConsoleLogger(pulsar.LoggerLevel.Error))
    producer = client.create_producer("secured-provided-cpp", send_timeout_millis=20_000)
    while not ended.wait(0.1):
        producer.send(b"hello")
    client.close()


def guarded(client):
    try:
        client()
    except Exception as error:
        fail(f"{client.__name__}: {error!r}")


threads = [threading.Thread(target=guarded, args=[client]) for client in (librdkafka, cpp)]
for thread in threads:
    thread.start()
threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
for thread in threads:
    thread.join()
if failures:
    sys.exit("FAILED: " + failures[0])
print("all ok", flush=True)
