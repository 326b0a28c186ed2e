"""Each feature of Pulsar's Python (C++) client against a running server: a line "= feature: yes" for one that works, "-" for one that this
client does not have, else why not.

usage: features.py SERVICE_URL
"""
import os
import re
import subprocess
import sys
import tempfile
import time
import uuid

import pulsar
from pulsar import ConsumerType, InitialPosition
from pulsar.schema import AvroSchema, Integer, JsonSchema, Record, String

SOON = 20_000


def topic(name, kind="persistent"):
    return f"{kind}://public/default/{name}-{uuid.uuid4().hex}"


def check(right, otherwise):
    if not right:
        raise AssertionError(otherwise)


def subscribe(where, kind=ConsumerType.Exclusive, **more):
    return client.subscribe(where, "s", consumer_type=kind, initial_position=InitialPosition.Earliest, **more)


def round_trip(kind, batching):
    where = topic("types")
    consumer = subscribe(where, kind)
    producer = client.create_producer(where, batching_enabled=batching)
    for n in range(20):
        producer.send_async(b"%d" % n, None, partition_key=f"k{n % 3}")
    producer.flush()
    got = []
    for _ in range(20):
        message = consumer.receive(SOON)
        got.append(int(message.data()))
        consumer.acknowledge(message)
    in_order = kind in (ConsumerType.Exclusive, ConsumerType.Failover)
    check((got if in_order else sorted(got)) == list(range(20)), f"got {got}")


def passes(where, value, **producers):
    consumer = subscribe(where)
    client.create_producer(where, **producers).send(value)
    check(consumer.receive(SOON).data() == value, "other bytes")


def compression():
    for kind in (pulsar.CompressionType.LZ4, pulsar.CompressionType.ZLib, pulsar.CompressionType.ZSTD,
                 pulsar.CompressionType.SNAPPY):
        passes(topic("compressed"), b"x" * 100_000, compression_type=kind)


class Person(Record):
    name = String()
    age = Integer()


def schemas():
    for schema in (JsonSchema(Person), AvroSchema(Person)):
        where = topic("schemas")
        consumer = subscribe(where, schema=schema)
        client.create_producer(where, schema=schema).send(Person(name="Ann", age=1))
        check(consumer.receive(SOON).value().name == "Ann", "another value")


def negative():
    where = topic("negative")
    consumer = subscribe(where, ConsumerType.Shared, negative_ack_redelivery_delay_ms=200)
    client.create_producer(where).send(b"1")
    consumer.negative_acknowledge(consumer.receive(SOON))
    check(consumer.receive(SOON).redelivery_count() == 1, "not counted")


def dead_letters():
    where, letters = topic("dead"), topic("letters")
    dead = subscribe(letters)
    consumer = subscribe(where, ConsumerType.Shared, negative_ack_redelivery_delay_ms=200,
                         dead_letter_policy=pulsar.ConsumerDeadLetterPolicy(1, letters))
    client.create_producer(where).send(b"1")
    for _ in range(2):
        consumer.negative_acknowledge(consumer.receive(SOON))
    check(dead.receive(SOON).data() == b"1", "another message")


def delayed():
    where = topic("delayed")
    consumer = subscribe(where, ConsumerType.Shared)
    producer = client.create_producer(where)
    due = int(time.time() * 1000) + 1_500
    producer.send(b"1", deliver_at=due)
    producer.send(b"2")
    # it may be first if it is due before the other is sent
    got = set()
    for _ in range(2):
        came = consumer.receive(SOON).data()
        got.add(came)
        check(came != b"1" or time.time() * 1000 >= due, "it came too early")
    check(got == {b"1", b"2"}, f"{got} came")


def transactions():
    client.new_transaction


def reader():
    where = topic("read")
    producer = client.create_producer(where)
    producer.send(b"1")
    second = producer.send(b"2")
    first = client.create_reader(where, pulsar.MessageId.earliest)
    check(first.has_message_available(), "none is available")
    check(first.read_next(SOON).data() == b"1", "another message")
    later = client.create_reader(where, second, start_message_id_inclusive=True)
    check(later.read_next(SOON).data() == b"2", "another message")
    check(not later.has_message_available(), "more are available")


def seek():
    where = topic("seek")
    consumer = subscribe(where)
    producer = client.create_producer(where)
    producer.send(b"1")
    producer.send(b"2")
    consumer.receive(SOON)
    consumer.acknowledge_cumulative(consumer.receive(SOON))
    consumer.seek(pulsar.MessageId.earliest)
    check(consumer.receive(SOON).data() == b"1", "another message")


def table_view():
    where = topic("table")
    producer = client.create_producer(where)
    producer.send(b"1", partition_key="a")
    producer.send(b"2", partition_key="a")
    check(client.create_table_view(where).get("a") == b"2", "another value")


def pattern():
    where = topic("pattern")
    producer = client.create_producer(where + "-a")
    consumer = client.subscribe(re.compile(where + "-.*"), "s")
    producer.send(b"1")
    check(consumer.receive(SOON).data() == b"1", "another message")


def encryption():
    with tempfile.TemporaryDirectory() as folder:
        secret, readable = os.path.join(folder, "secret"), os.path.join(folder, "readable")
        subprocess.run(["openssl", "genrsa", "-out", secret, "2048"], check=True, capture_output=True)
        subprocess.run(["openssl", "rsa", "-in", secret, "-pubout", "-out", readable], check=True, capture_output=True)
        keys = pulsar.CryptoKeyReader(readable, secret)
        where = topic("encrypted")
        consumer = subscribe(where, crypto_key_reader=keys)
        blind = client.subscribe(where, "blind", initial_position=InitialPosition.Earliest)
        client.create_producer(where, encryption_key="k", crypto_key_reader=keys).send(b"1")
        check(consumer.receive(SOON).data() == b"1", "other bytes")
        try:
            check(blind.receive(500).data() != b"1", "it was not encrypted")
        except pulsar.Timeout:
            pass


FEATURES = {
    "produce, consume": lambda: round_trip(ConsumerType.Exclusive, False),
    "batches": lambda: round_trip(ConsumerType.Exclusive, True),
    "compression": compression,
    "schemas": schemas,
    "Failover": lambda: round_trip(ConsumerType.Failover, True),
    "Shared": lambda: round_trip(ConsumerType.Shared, True),
    "Key_Shared": lambda: round_trip(ConsumerType.KeyShared, False),
    "negative acknowledgement": negative,
    "dead letters": dead_letters,
    "delayed delivery": delayed,
    "transactions": transactions,
    "readers": reader,
    "seek": seek,
    "table views": table_view,
    "non-persistent topics": lambda: passes(topic("live", "non-persistent"), b"1"),
    "patterns of topics": pattern,
    "chunks": lambda: passes(topic("chunks"), b"x" * (12 << 20), batching_enabled=False, chunking_enabled=True),
    "encryption": encryption,
}

client = pulsar.Client(sys.argv[1], logger=pulsar.ConsoleLogger(pulsar.LoggerLevel.Error))
for name, use in FEATURES.items():
    try:
        use()
        result = "yes"
    except AttributeError as e:
        result = "-" if "Client" in str(e) else str(e)
    except Exception as e:
        result = f"{type(e).__name__} {e}".splitlines()[0]
    print(f"= {name}: {result}", flush=True)
client.close()
print("all ok")
