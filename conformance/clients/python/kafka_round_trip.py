"""librdkafka against a running server: every compression and size comes back as it was sent; groups rebalance and share; quotas are kept to.

usage: kafka_round_trip.py BOOTSTRAP CLIENT_ID LIMIT TIMED_CLIENT_ID
CLIENT_ID may write and read LIMIT bytes a second, TIMED_CLIENT_ID have a thousandth of a thread's time.
Prints a line per check; exits with 1 and one line at the first that fails.
"""
import random
import sys
import threading
import time
import uuid

from confluent_kafka import AcknowledgeType, Consumer, KafkaError, Producer, ShareConsumer, TopicPartition
from confluent_kafka.admin import AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource, NewTopic, ResourceType

BOOTSTRAP = sys.argv[1]
LIMITED = sys.argv[2]
LIMIT = int(sys.argv[3])
TIMED = sys.argv[4]
PARTITIONS = 16
DEADLINE_SECONDS = 90


def check(condition, line):
    if not condition:
        sys.exit("FAILED: " + line)


def new_topic(partitions=PARTITIONS):
    name = "librdkafka-" + uuid.uuid4().hex[:8]
    admin = AdminClient({"bootstrap.servers": BOOTSTRAP})
    for future in admin.create_topics([NewTopic(name, num_partitions=partitions, replication_factor=1)]).values():
        future.result(30)
    return name


def consume(consumer, wanted, on_message):
    deadline = time.monotonic() + DEADLINE_SECONDS
    got = 0
    while got < wanted:
        check(time.monotonic() < deadline, f"only {got} of {wanted} records arrived")
        for message in consumer.consume(500, timeout=1.0):
            if message.error():
                check(message.error().code() == KafkaError._PARTITION_EOF, str(message.error()))
                continue
            on_message(message)
            got += 1


def round_trip(codec, sizes, per_size):
    topic = new_topic()
    rng = random.Random(codec + str(sizes))
    sent = {}
    failures = []
    producer = Producer({
        "bootstrap.servers": BOOTSTRAP, "compression.type": codec, "linger.ms": 5, "acks": "all",
        "enable.idempotence": True, "message.max.bytes": 8_000_000})
    for size in sizes:
        for n in range(per_size):
            key = f"{size}-{n}".encode()
            value = rng.randbytes(max(1, size // 2)) + b"x" * (size - max(1, size // 2))
            headers = [("trace", rng.randbytes(8)), ("trace", b"again"), ("empty", b""), ("none", None)]
            sent[key] = (value, headers)

            def done(error, message):
                if error:
                    failures.append(str(error))

            while True:
                try:
                    producer.produce(topic, value, key, headers=headers, on_delivery=done)
                    break
                except BufferError:
                    producer.poll(0.1)
            producer.poll(0)
    check(producer.flush(DEADLINE_SECONDS) == 0, "records were never acknowledged")
    check(not failures, f"produce: {failures[:3]}")

    consumer = Consumer({
        "bootstrap.servers": BOOTSTRAP, "group.id": uuid.uuid4().hex, "auto.offset.reset": "earliest",
        "fetch.message.max.bytes": 8_000_000, "check.crcs": True})
    consumer.subscribe([topic])
    seen = {}
    positions = {}

    def take(message):
        key = message.key()
        check(key in sent and key not in seen, f"unexpected or repeated record {key}")
        check(message.value() == sent[key][0], f"value of {key} differs")
        check(message.headers() == sent[key][1], f"headers of {key} differ: {message.headers()}")
        check(message.offset() == positions.get(message.partition(), 0), "offsets are not dense")
        positions[message.partition()] = message.offset() + 1
        seen[key] = True

    consume(consumer, len(sent), take)
    consumer.commit(asynchronous=False)
    committed = consumer.committed([TopicPartition(topic, p) for p in positions], timeout=30)
    check({c.partition: c.offset for c in committed} == positions, f"committed {committed}, expected {positions}")
    consumer.close()
    print(f"ok {codec} {len(sent)} records of {sizes} bytes", flush=True)


def rebalance(protocol):
    topic = new_topic()
    group = uuid.uuid4().hex
    producer = Producer({"bootstrap.servers": BOOTSTRAP})
    stop = threading.Event()
    owned = [set(), set()]
    seen = set()
    lock = threading.Lock()

    def member(index):
        settings = {"bootstrap.servers": BOOTSTRAP, "group.id": group, "auto.offset.reset": "earliest",
                    "group.protocol": protocol}
        if protocol == "classic":
            settings["partition.assignment.strategy"] = "cooperative-sticky"
        consumer = Consumer(settings)

        def assigned(c, partitions):
            owned[index] |= {p.partition for p in partitions}

        def revoked(c, partitions):
            owned[index] -= {p.partition for p in partitions}

        consumer.subscribe([topic], on_assign=assigned, on_revoke=revoked)
        while not stop.is_set():
            message = consumer.poll(0.2)
            if message is not None and not message.error():
                with lock:
                    seen.add(message.key())
        consumer.close()

    def wait_for(condition, what):
        deadline = time.monotonic() + DEADLINE_SECONDS
        while not condition():
            check(time.monotonic() < deadline, f"{what}: {owned}")
            time.sleep(0.05)

    threads = [threading.Thread(target=member, args=(i,)) for i in range(2)]
    threads[0].start()
    wait_for(lambda: len(owned[0]) == PARTITIONS, "the first member did not get all partitions")
    threads[1].start()
    wait_for(lambda: len(owned[0]) == len(owned[1]) == PARTITIONS // 2 and not owned[0] & owned[1],
             "the partitions were not shared out")
    for n in range(1000):
        producer.produce(topic, b"v", str(n).encode())
    producer.flush(30)
    wait_for(lambda: len(seen) == 1000, "records are missing after the rebalance")
    stop.set()
    for thread in threads:
        thread.join(30)
    print(f"ok rebalance {protocol}", flush=True)


def share_group():
    """Members of a share group get every record once; what one gives back comes again, to any of them."""
    topic = new_topic(2)
    group = "share-" + uuid.uuid4().hex
    admin = AdminClient({"bootstrap.servers": BOOTSTRAP})
    earliest = ConfigEntry("share.auto.offset.reset", "earliest", incremental_operation=AlterConfigOpType.SET)
    resource = ConfigResource(ResourceType.GROUP, group, incremental_configs=[earliest])
    for future in admin.incremental_alter_configs([resource]).values():
        future.result(30)
    producer = Producer({"bootstrap.servers": BOOTSTRAP})
    for n in range(200):
        producer.produce(topic, str(n).encode(), partition=n % 2)
    check(producer.flush(DEADLINE_SECONDS) == 0, "records were never acknowledged")

    members = [ShareConsumer({"bootstrap.servers": BOOTSTRAP, "group.id": group,
                              "share.acknowledgement.mode": "explicit"}) for _ in range(2)]
    for member in members:
        member.subscribe([topic])
    deadline = time.monotonic() + DEADLINE_SECONDS
    done = set()
    released = set()
    again = set()
    while len(done) < 200:
        check(time.monotonic() < deadline, f"only {len(done)} of 200 records of a share group are done")
        for member in members:
            for message in member.poll(0.2):
                check(message.error() is None, str(message.error()))
                place = (message.partition(), message.offset())
                check(place not in done, f"{place} came again, though it was accepted")
                if message.offset() % 10 == 0 and place not in released:
                    released.add(place)
                    member.acknowledge(message, AcknowledgeType.RELEASE)
                    continue
                if place in released:
                    again.add(place)
                done.add(place)
                member.acknowledge(message, AcknowledgeType.ACCEPT)
            for place, error in member.commit_sync(30).items():
                check(error is None, f"acknowledging {place}: {error}")
    check(again == released and len(released) == 20, f"{len(again)} of {len(released)} records came again")
    for member in members:
        member.close()
    print("ok share group of two members", flush=True)


def quota():
    topic = new_topic(1)
    throttled = []
    settings = {"bootstrap.servers": BOOTSTRAP, "client.id": LIMITED, "throttle_cb": throttled.append}
    producer = Producer({**settings, "batch.num.messages": 1})
    size = LIMIT // 20
    began = time.monotonic()
    for _ in range(100):
        producer.produce(topic, b"x" * size)
    check(producer.flush(DEADLINE_SECONDS) == 0, "records were never acknowledged")
    rate = 100 * size / (time.monotonic() - began)
    check(rate < 1.5 * LIMIT, f"{rate:.0f} bytes a second, of which {LIMIT} are allowed")
    # librdkafka also reports the first answer without a throttle time after one that had it
    check(any(each.throttle_time > 0 for each in throttled), "a producer over its quota is not told")
    throttled.clear()
    consumer = Consumer({**settings, "group.id": uuid.uuid4().hex, "auto.offset.reset": "earliest"})
    consumer.assign([TopicPartition(topic, 0, 0)])
    consume(consumer, 50, lambda message: None)
    check(any(each.throttle_time > 0 for each in throttled), "a consumer over its quota is not told")
    consumer.close()
    print(f"ok quota {rate:.0f} bytes a second of {LIMIT}", flush=True)


def quota_of_time():
    topic = new_topic(1)
    throttled = []
    producer = Producer({"bootstrap.servers": BOOTSTRAP, "client.id": TIMED, "throttle_cb": throttled.append})
    began = time.monotonic()
    told = []
    while len(told) < 6:
        check(time.monotonic() - began < DEADLINE_SECONDS, "a producer whose requests take too much time is not told")
        producer.produce(topic, b"x")
        check(producer.flush(DEADLINE_SECONDS) == 0, "a record was never acknowledged")
        told = [each.throttle_time for each in throttled if each.throttle_time > 0]
    elapsed = time.monotonic() - began
    # what the last answer asks for is not over yet; the waits of a record and of a question about its topic, sent at once, are the same time
    waits = sum(told[:-1]) / 2
    check(elapsed >= waits, f"{elapsed:.3f} s for requests that were told to wait twice {waits:.3f} s")
    print(f"ok quota of time, waits of {waits:.3f} s in {elapsed:.3f} s", flush=True)


for codec in ["none", "gzip", "snappy", "lz4", "zstd"]:
    round_trip(codec, [1, 100, 10_000], 200)
    round_trip(codec, [1_000_000, 5_000_000], 2)
rebalance("classic")
rebalance("consumer")
share_group()
quota()
quota_of_time()
print("all ok", flush=True)
