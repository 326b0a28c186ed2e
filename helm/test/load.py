#!/usr/bin/env python3
"""load.py KAFKA PULSAR_URL FOLDER: numbered messages in and out over both protocols, until FOLDER/stop is there.

Each of the four clients is made once and never again: it has to go on by itself, whatever happens to the server. Counts are in
FOLDER/progress, a line each. At the end everything is read once more from the beginning: what was acknowledged must be there, once
and in order. Exits with 1 if it is not.
"""
import pathlib
import sys
import threading
import time

import confluent_kafka
import pulsar

KAFKA, PULSAR, FOLDER = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
TOPIC = "load"
PULSAR_TOPIC = "persistent://public/default/load-pulsar"
PAUSE = 0.002  # 500 a second each, or a little less
PADDING = b"." * 1000
END_SECONDS = 120
stop = threading.Event()


class Flow:
    """What one client has done, and the longest times in which it did nothing."""

    def __init__(self, name):
        self.name = name
        self.numbers = set()
        self.complete = False
        self.failures = []
        self.gaps = []
        self.last = time.monotonic()

    def done(self, number):
        now = time.monotonic()
        if now - self.last > 1:
            self.gaps.append(round(now - self.last, 1))
        self.last = now
        self.numbers.add(number)

    def failed(self, why):
        self.failures.append(str(why))


kafka_in, kafka_out = Flow("kafka acknowledged"), Flow("kafka read")
pulsar_in, pulsar_out = Flow("pulsar acknowledged"), Flow("pulsar read")
FLOWS = [kafka_in, kafka_out, pulsar_in, pulsar_out]


def body(number):
    return b"%d %s" % (number, PADDING)


def number_of(data):
    return int(data.split(b" ", 1)[0])


def kafka_produces():
    producer = confluent_kafka.Producer(
        {"bootstrap.servers": KAFKA, "enable.idempotence": True, "delivery.timeout.ms": 600_000, "linger.ms": 5, "log_level": 0})

    def answered(number):
        return lambda error, _: kafka_in.failed(error) if error else kafka_in.done(number)

    number = 0
    while not stop.is_set():
        try:
            producer.produce(TOPIC, body(number), on_delivery=answered(number))
            number += 1
        except BufferError:
            pass  # the server is away and the client holds what it can
        producer.poll(PAUSE)
        time.sleep(PAUSE)
    producer.flush(END_SECONDS)
    kafka_in.complete = True


def kafka_consumes():
    consumer = confluent_kafka.Consumer(
        {"bootstrap.servers": KAFKA, "group.id": "load", "auto.offset.reset": "earliest", "log_level": 0})
    consumer.subscribe([TOPIC])
    while not ended(kafka_in, kafka_out):
        message = consumer.poll(0.5)
        if message is not None and not message.error():
            kafka_out.done(number_of(message.value()))
    consumer.close()


def pulsar_produces(client):
    producer = client.create_producer(PULSAR_TOPIC, send_timeout_millis=0, block_if_queue_full=True)

    def answered(number):
        return lambda result, _: pulsar_in.done(number) if result == pulsar.Result.Ok else pulsar_in.failed(result)

    number = 0
    while not stop.is_set():
        producer.send_async(body(number), answered(number))
        number += 1
        time.sleep(PAUSE)
    producer.flush()
    pulsar_in.complete = True


def pulsar_consumes(client):
    consumer = client.subscribe(PULSAR_TOPIC, "load", initial_position=pulsar.InitialPosition.Earliest)
    while not ended(pulsar_in, pulsar_out):
        try:
            message = consumer.receive(timeout_millis=500)
        except pulsar.Timeout:
            continue
        pulsar_out.done(number_of(message.data()))
        consumer.acknowledge(message)


def ended(written, read):
    """Everything that was acknowledged has been read, or there was time for it."""
    if not stop.is_set():
        return False
    return written.complete and written.numbers <= read.numbers or time.monotonic() - stopped_at > END_SECONDS


def kafka_from_the_beginning():
    consumer = confluent_kafka.Consumer({"bootstrap.servers": KAFKA, "group.id": "again", "enable.auto.commit": False})
    partition = confluent_kafka.TopicPartition(TOPIC, 0)
    _, end = consumer.get_watermark_offsets(partition, timeout=30)
    consumer.assign([confluent_kafka.TopicPartition(TOPIC, 0, 0)])
    numbers = []
    while len(numbers) < end:
        message = consumer.poll(30)
        if message is None or message.error():
            break
        numbers.append(number_of(message.value()))
    consumer.close()
    return numbers


def pulsar_from_the_beginning(client):
    reader = client.create_reader(PULSAR_TOPIC, pulsar.MessageId.earliest)
    numbers = []
    while reader.has_message_available():
        numbers.append(number_of(reader.read_next(timeout_millis=30_000).data()))
    return numbers


def verdict(written, read, stored):
    """A line for each thing that is wrong."""
    lost = sorted(written.numbers - set(stored))
    unread = sorted(written.numbers - read.numbers)
    if written.failures:
        yield f"{written.name}: {len(written.failures)} were refused, the first: {written.failures[0]}"
    if lost:
        yield f"{written.name}, and not stored: {len(lost)}, the first {lost[0]}"
    if unread:
        yield f"{written.name}, and not {read.name}: {len(unread)}, the first {unread[0]}"
    if stored != sorted(set(stored)):
        yield f"{written.name}: stored twice or out of order"


def show():
    lines = [f"{flow.name}: {len(flow.numbers)}" for flow in FLOWS]
    new = FOLDER / "progress.new"
    new.write_text("\n".join(lines) + "\n")
    new.rename(FOLDER / "progress")


client = pulsar.Client(PULSAR, logger=pulsar.FileLogger(pulsar.LoggerLevel.Warn, str(FOLDER / "pulsar.log")))
threads = [threading.Thread(target=target, args=args) for target, args in [
    (kafka_produces, ()), (kafka_consumes, ()), (pulsar_produces, (client,)), (pulsar_consumes, (client,))]]
for thread in threads:
    thread.start()
stopped_at = 0.0
while any(thread.is_alive() for thread in threads):
    time.sleep(0.2)
    show()
    if not stop.is_set() and (FOLDER / "stop").exists():
        stopped_at = time.monotonic()
        stop.set()
wrong = [*verdict(kafka_in, kafka_out, kafka_from_the_beginning()),
         *verdict(pulsar_in, pulsar_out, pulsar_from_the_beginning(client))]
for flow in FLOWS:
    print(f"{flow.name}: {len(flow.numbers)}, pauses of {flow.gaps or 'less than 1'} s")
for line in wrong:
    print("WRONG " + line)
client.close()
sys.exit(1 if wrong else 0)
