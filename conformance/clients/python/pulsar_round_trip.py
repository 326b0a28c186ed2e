"""Pulsar's Python (C++) client against a running server: compressions, sizes, and the four subscription types.

usage: pulsar_round_trip.py SERVICE_URL HTTP_URL
Prints a line per check; exits with 1 and one line at the first that fails.
"""
import json
import random
import sys
import time
import urllib.request
import uuid

import pulsar

URL = sys.argv[1]
TIMEOUT_MILLIS = 60_000


def check(condition, line):
    if not condition:
        sys.exit("FAILED: " + line)


def topic():
    return "persistent://public/default/python-" + uuid.uuid4().hex[:8]


def round_trip(client, compression, name, sizes, per_size):
    where = topic()
    rng = random.Random(name + str(sizes))
    consumer = client.subscribe(where, "s", consumer_type=pulsar.ConsumerType.Exclusive,
                                initial_position=pulsar.InitialPosition.Earliest)
    producer = client.create_producer(where, compression_type=compression, batching_enabled=max(sizes) < 100_000,
                                      block_if_queue_full=True, chunking_enabled=max(sizes) >= 100_000)
    sent = []
    failures = []
    for size in sizes:
        for n in range(per_size):
            body = rng.randbytes(max(1, size // 2)) + b"x" * (size - max(1, size // 2))
            sent.append((body, f"{size}-{n}"))
            producer.send_async(body, lambda result, _: result == pulsar.Result.Ok or failures.append(result),
                                partition_key=f"{size}-{n}", properties={"n": str(n), "größe": str(size)})
    producer.flush()
    check(not failures, f"send: {failures[:3]}")
    for body, key in sent:
        message = consumer.receive(TIMEOUT_MILLIS)
        check(message.data() == body, f"body of {key} differs")
        check(message.partition_key() == key, f"key {message.partition_key()}, expected {key}")
        check(message.properties()["n"] == key.split("-")[1], "properties differ")
        consumer.acknowledge(message)
    consumer.close()
    producer.close()
    print(f"ok {name} {len(sent)} messages of {sizes} bytes", flush=True)


def subscriptions(client):
    for kind in [pulsar.ConsumerType.Shared, pulsar.ConsumerType.Failover, pulsar.ConsumerType.KeyShared]:
        where = topic()
        consumers = [client.subscribe(where, "s", consumer_type=kind, initial_position=pulsar.InitialPosition.Earliest)
                     for _ in range(2)]
        producer = client.create_producer(where, batching_enabled=True,
                                          batching_type=pulsar.BatchingType.KeyBased)
        for n in range(500):
            producer.send_async(str(n).encode(), lambda result, _: None, partition_key=str(n % 37))
        producer.flush()
        seen = {}
        by_key = {}
        idle = 0
        while len(seen) < 500 and idle < 60:
            idle += 1
            for index, consumer in enumerate(consumers):
                while True:
                    try:
                        message = consumer.receive(200)
                    except pulsar.Timeout:
                        break
                    idle = 0
                    check(message.data() not in seen, "a message was delivered twice")
                    seen[message.data()] = index
                    by_key.setdefault(message.partition_key(), []).append((index, int(message.data())))
                    consumer.acknowledge(message)
        check(len(seen) == 500, f"{kind}: {len(seen)} of 500 arrived")
        users = set(seen.values())
        check(len(users) == (1 if kind == pulsar.ConsumerType.Failover else 2), f"{kind}: delivered to {users}")
        if kind == pulsar.ConsumerType.KeyShared:
            for key, messages in by_key.items():
                check(len({index for index, _ in messages}) == 1, f"key {key} went to two consumers")
                check([n for _, n in messages] == sorted(n for _, n in messages), f"key {key} is out of order")
        for consumer in consumers:
            consumer.close()
        producer.close()
        print(f"ok {kind}", flush=True)


def reader(client):
    where = topic()
    producer = client.create_producer(where)
    ids = [producer.send(str(n).encode()) for n in range(20)]
    check(ids == sorted(ids), "message ids do not rise")
    with_reader = client.create_reader(where, pulsar.MessageId.earliest)
    read = []
    while with_reader.has_message_available():
        read.append(int(with_reader.read_next(TIMEOUT_MILLIS).data()))
    check(read == list(range(20)), f"reader read {read}")
    with_reader.close()
    producer.close()
    print("ok reader", flush=True)


class Redirects(urllib.request.HTTPRedirectHandler):
    """Sends a PUT or POST on to the node that serves the topic, as admin clients do."""

    def redirect_request(self, req, fp, code, msg, headers, newurl):
        if code != 307:
            return super().redirect_request(req, fp, code, msg, headers, newurl)
        return urllib.request.Request(newurl, req.data, req.headers, method=req.get_method())


urllib.request.install_opener(urllib.request.build_opener(Redirects))


def compacted(client, http):
    where = topic()
    # this client hands out the places of a batch whose messages were compacted away, as empty messages
    producer = client.create_producer(where, batching_enabled=False)
    for n in range(200):
        producer.send_async(str(n).encode(), lambda result, _: None, partition_key=f"k{n % 10}")
    producer.flush()
    compaction = f"{http}/admin/v2/persistent/{where.split('://')[1]}/compaction"
    urllib.request.urlopen(urllib.request.Request(compaction, method="PUT")).close()
    for _ in range(600):
        with urllib.request.urlopen(compaction) as answer:
            status = json.load(answer)["status"]
        if status == "SUCCESS":
            break
        time.sleep(0.1)
    check(status == "SUCCESS", f"compaction is {status}")
    for asks, expected in [(True, list(range(190, 200))), (False, list(range(200)))]:
        with_reader = client.create_reader(where, pulsar.MessageId.earliest, is_read_compacted=asks)
        read = []
        while with_reader.has_message_available():
            read.append(int(with_reader.read_next(TIMEOUT_MILLIS).data()))
        check(read == expected, f"a reader, compacted {asks}, read {read}")
        with_reader.close()
    producer.close()
    print("ok compacted", flush=True)


def growing(client, http):
    where = topic()
    page = f"{http}/admin/v2/persistent/{where.split('://')[1]}/partitions"

    def partitions(method, count):
        urllib.request.urlopen(urllib.request.Request(page, str(count).encode(), {"Content-Type": "application/json"},
                                                      method=method)).close()

    partitions("PUT", 1)
    client.subscribe(where, "s").close()
    partitions("POST", 3)
    producer = client.create_producer(where, batching_enabled=False)
    sent = [f"m{n}" for n in range(12)]
    for text in sent:
        producer.send(text.encode())
    consumer = client.subscribe(where, "s")
    received = []
    while len(received) < len(sent):
        message = consumer.receive(TIMEOUT_MILLIS)
        received.append(message.data().decode())
        consumer.acknowledge(message)
    check(sorted(received) == sorted(sent), f"of {sent} came {received}")
    consumer.close()
    producer.close()
    print("ok a topic that grows", flush=True)


def refused(url):
    """What is refused for good fails at once: nothing here times out within the run."""
    client = pulsar.Client(url, operation_timeout_seconds=600)
    where = topic()
    consumer = client.subscribe(where, "s")
    exclusive = client.create_producer(where, access_mode=pulsar.ProducerAccessMode.Exclusive)
    named = client.create_producer(topic(), producer_name="named")
    too_long = "persistent://public/default/" + "x" * 600
    for what, error, ask in [
            ("a second consumer", pulsar.ConsumerBusy, lambda: client.subscribe(where, "s")),
            ("a second producer", pulsar.ProducerFenced,
             lambda: client.create_producer(where, access_mode=pulsar.ProducerAccessMode.Exclusive)),
            ("a name that is taken", pulsar.ProducerBusy, lambda: client.create_producer(named.topic(), producer_name="named")),
            ("a consumer of a topic's name that is too long", pulsar.NotAllowedError, lambda: client.subscribe(too_long, "s")),
            ("a producer of a topic's name that is too long", pulsar.NotAllowedError, lambda: client.create_producer(too_long))]:
        try:
            ask()
        except error:
            continue
        except Exception as other:
            sys.exit(f"FAILED: {what}: {other!r}")
        sys.exit(f"FAILED: {what} is not refused")
    for each in (consumer, exclusive, named, client):
        each.close()
    print("ok refused", flush=True)


def hear(producer, consumer):
    """Returns when the consumer gets what is sent: it asks for permits in the background."""
    for _ in range(TIMEOUT_MILLIS // 200):
        producer.send(b"probe")
        try:
            consumer.receive(200)
            return
        except pulsar.Timeout:
            continue
    sys.exit("FAILED: a consumer of a non-persistent topic hears nothing")


def non_persistent(client):
    """Each kind of subscription gets what is sent while it is there, and nothing that was sent before."""
    where = topic().replace("persistent://", "non-persistent://")
    producer = client.create_producer(where)
    producer.send(b"nobody is there")
    consumers = [client.subscribe(where, "s" + str(kind), consumer_type=kind, initial_position=pulsar.InitialPosition.Earliest)
                 for kind in [pulsar.ConsumerType.Exclusive, pulsar.ConsumerType.Shared, pulsar.ConsumerType.Failover,
                              pulsar.ConsumerType.KeyShared]]
    reader = client.create_reader(where, pulsar.MessageId.latest)
    for consumer in consumers:
        hear(producer, consumer)
    for n in range(20):
        producer.send(b"m%d" % n, partition_key=f"k{n}")
    for consumer in consumers:
        got = set()
        while len(got) < 20:
            message = consumer.receive(TIMEOUT_MILLIS)
            check(message.data() != b"nobody is there", "a message was kept")
            if message.data() != b"probe":
                got.add(message.data())
            consumer.acknowledge(message)
        consumer.unsubscribe()
    check(reader.read_next(TIMEOUT_MILLIS).data() != b"nobody is there", "a message was kept for the reader")
    reader.close()
    producer.close()
    print("ok non-persistent", flush=True)


def dead_letters(client):
    """A message that is refused comes again, and is in the dead letter topic when it was too often."""
    where = topic()
    producer = client.create_producer(where)
    consumer = client.subscribe(where, "s", consumer_type=pulsar.ConsumerType.Shared, negative_ack_redelivery_delay_ms=100,
                                dead_letter_policy=pulsar.ConsumerDeadLetterPolicy(2, where + "-dead", "letters"))
    producer.send(b"refused")
    for times in range(3):
        message = consumer.receive(TIMEOUT_MILLIS)
        check(message.redelivery_count() == times, f"redelivery count {message.redelivery_count()}, expected {times}")
        consumer.negative_acknowledge(message)
    letters = client.subscribe(where + "-dead", "letters", initial_position=pulsar.InitialPosition.Earliest)
    check(letters.receive(TIMEOUT_MILLIS).data() == b"refused", "the dead letter")
    letters.close()
    consumer.close()
    producer.close()
    print("ok dead letters", flush=True)


def ask(method, url, body=None):
    urllib.request.urlopen(urllib.request.Request(
        url, method=method, data=body, headers={"Content-Type": "application/json"})).close()


def blocked(client, http):
    """A producer of a topic that is over its backlog quota is refused, until there is room."""
    where = topic()
    path = http + "/admin/v2/persistent/" + where.removeprefix("persistent://")
    consumer = client.subscribe(where, "s")
    producer = client.create_producer(where)
    for _ in range(4):
        producer.send(bytes(1000))
    producer.close()
    quota = {"limitSize": 2000, "limitTime": -1, "policy": "producer_exception"}
    ask("POST", path + "/backlogQuota", json.dumps(quota).encode())
    impatient = pulsar.Client(URL, operation_timeout_seconds=3)
    try:
        impatient.create_producer(where)
        check(False, "a producer is there, and the backlog over its quota")
    except pulsar.PulsarException as why:
        check("Quota" in type(why).__name__ + str(why), f"refused by its quota: {why!r}")
    impatient.close()
    ask("POST", path + "/subscription/s/skip_all")
    producer = client.create_producer(where)
    producer.send(b"there is room")
    producer.close()
    consumer.close()
    print("ok backlog quota", flush=True)


def throttled(client, http):
    """A consumer gets no more than the topic's rate lets through."""
    where = topic()
    consumer = client.subscribe(where, "s")
    rate = {"dispatchThrottlingRateInMsg": 20, "dispatchThrottlingRateInByte": -1, "ratePeriodInSecond": 1}
    ask("POST", http + "/admin/v2/persistent/" + where.removeprefix("persistent://") + "/dispatchRate",
        json.dumps(rate).encode())
    producer = client.create_producer(where)
    first = time.monotonic()
    took = 0.0
    while took < 1:  # twenty come at once, thirty in a second and a half; until the rate is known all at once
        check(time.monotonic() - first < TIMEOUT_MILLIS / 1000, f"50 messages at 20 a second took {took} s")
        began = time.monotonic()
        for n in range(50):
            producer.send(b"m%d" % n)
        for n in range(50):
            check(consumer.receive(TIMEOUT_MILLIS).data() == b"m%d" % n, "in order")
        took = time.monotonic() - began
    producer.close()
    consumer.close()
    print("ok dispatch rate", flush=True)


connection = pulsar.Client(URL, operation_timeout_seconds=30)
CODECS = {"none": pulsar.CompressionType.NONE, "lz4": pulsar.CompressionType.LZ4, "zlib": pulsar.CompressionType.ZLib,
          "zstd": pulsar.CompressionType.ZSTD, "snappy": pulsar.CompressionType.SNAPPY}
for codec, value in CODECS.items():
    round_trip(connection, value, codec, [1, 100, 10_000], 200)
    round_trip(connection, value, codec, [1_000_000, 5_000_000], 2)
subscriptions(connection)
reader(connection)
compacted(connection, sys.argv[2])
growing(connection, sys.argv[2])
non_persistent(connection)
dead_letters(connection)
blocked(connection, sys.argv[2])
throttled(connection, sys.argv[2])
connection.close()
refused(URL)
# the same client, which looks topics up over HTTP
connection = pulsar.Client(sys.argv[2], operation_timeout_seconds=30)
round_trip(connection, pulsar.CompressionType.NONE, "http", [1, 100], 20)
reader(connection)
connection.close()
print("all ok", flush=True)
