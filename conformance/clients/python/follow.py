"""A producer and a consumer that go on while partitions change nodes: librdkafka, or Pulsar's Python (C++) client.

usage: follow.py kafka|pulsar ADDRESS TOPIC PARTITIONS
Writes to each partition the numbers from 0 on until its input ends, then reads the rest. Prints "ready" when the first came back. Each number
must be there once and in order. Prints "all ok" at the end, or exits with 1 and one line.
"""
import sys
import threading
import time

KIND, ADDRESS, TOPIC, PARTITIONS = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
PAUSE = 0.05
PATIENCE = 90
# A node that is paused holds its connections, and answers nothing.
UNANSWERED = 20

ends = threading.Event()
sent = [0] * PARTITIONS
acknowledged = [0] * PARTITIONS
# By partition: the number at each place in the log.
read = [{} for _ in range(PARTITIONS)]


def check(condition, line):
    if not condition:
        print("FAILED: " + line, flush=True)
        sys.exit(1)


def received(partition, place, number):
    before = read[partition].get(place)
    check(before is None or before == number, f"{place} of partition {partition} has {before} and {number}")
    check(before is not None or number == len(read[partition]),
          f"{number} came after {len(read[partition])} of partition {partition}, at {place}")
    read[partition][place] = number


def complete():
    return ends.is_set() and all(acknowledged[p] == sent[p] == len(read[p]) for p in range(PARTITIONS))


def counted(partition, failure):
    check(failure is None, f"a number of partition {partition} was refused: {failure}")
    acknowledged[partition] += 1


def produce(send):
    while not ends.is_set():
        for partition in range(PARTITIONS):
            send(partition, sent[partition])
            sent[partition] += 1
        time.sleep(PAUSE)


def follow(send, receive):
    threading.Thread(target=lambda: (sys.stdin.read(), ends.set()), daemon=True).start()
    writer = threading.Thread(target=produce, args=[send], daemon=True)
    writer.start()
    deadline = None
    told = False
    while not complete():
        receive()
        if not told and read[0]:
            told = True
            print("ready", flush=True)
        if ends.is_set():
            deadline = deadline or time.monotonic() + PATIENCE
            check(time.monotonic() < deadline, f"sent {sent}, acknowledged {acknowledged}, read {[len(r) for r in read]}")
    for partition in range(PARTITIONS):
        numbers = [read[partition][place] for place in sorted(read[partition])]
        check(numbers == list(range(sent[partition])), f"partition {partition} has {numbers}")
    print(f"{sum(sent)} numbers\nall ok", flush=True)


def kafka():
    from confluent_kafka import Consumer, Producer
    settings = {"bootstrap.servers": ADDRESS, "log_level": 3}
    producer = Producer({**settings, "enable.idempotence": True, "message.timeout.ms": 600_000, "socket.timeout.ms": UNANSWERED * 1000, "linger.ms": 2})
    consumer = Consumer({**settings, "group.id": "follow-" + TOPIC, "auto.offset.reset": "earliest",
                         "enable.auto.commit": True, "auto.commit.interval.ms": 500})
    consumer.subscribe([TOPIC])

    def send(partition, number):
        producer.produce(TOPIC, str(number), partition=partition, on_delivery=lambda e, m: counted(partition, e))
        producer.poll(0)

    def receive():
        producer.poll(0)
        for message in consumer.consume(500, timeout=0.1):
            error = message.error()
            check(error is None or not error.fatal(), f"the consumer gave up: {error}")
            if error is None:
                received(message.partition(), (0, message.offset()), int(message.value()))

    follow(send, receive)
    consumer.close()


def pulsar():
    import pulsar as client_library
    client = client_library.Client(ADDRESS, operation_timeout_seconds=UNANSWERED, logger=client_library.ConsoleLogger(
        client_library.LoggerLevel.Warn))
    producers = [client.create_producer(f"{TOPIC}-partition-{p}", send_timeout_millis=0, block_if_queue_full=True)
                 for p in range(PARTITIONS)]
    consumer = client.subscribe(TOPIC, "s", consumer_type=client_library.ConsumerType.Failover,
                                initial_position=client_library.InitialPosition.Earliest)

    def send(partition, number):
        producers[partition].send_async(
            str(number).encode(),
            lambda result, _: counted(partition, None if result == client_library.Result.Ok else result))

    def receive():
        try:
            message = consumer.receive(timeout_millis=100)
        except client_library.Timeout:
            return
        place = message.message_id()
        received(int(message.topic_name().rsplit("-", 1)[1]),
                 (place.ledger_id(), place.entry_id(), place.batch_index()), int(message.data()))
        consumer.acknowledge(message)

    follow(send, receive)
    client.close()


{"kafka": kafka, "pulsar": pulsar}[KIND]()
