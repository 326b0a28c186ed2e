"""librdkafka and Pulsar's C++ client on one topic.

usage: both.py write KAFKA PULSAR TOPIC CONTENTS     sends CONTENTS["kafka"] by the one, then CONTENTS["pulsar"] by the other
       both.py history KAFKA PULSAR TOPIC CONTENTS NAME  as write, by a Pulsar producer of this name, and prints the offsets of both
       both.py take KAFKA PULSAR TOPIC SUBSCRIPTION SEED  receives some messages, acknowledges some of them and gives the others back, as SEED says;
                                                     prints each with its offset, and true, or null if it is not known, if it is acknowledged
       both.py chunks KAFKA PULSAR TOPIC CONTENTS    sends CONTENTS["pulsar"] by two producers in turn, in chunks, and prints their offsets
       both.py read KAFKA PULSAR TOPIC COUNT RUN     prints what each reads, a JSON object per line; RUN names a new group and subscription
       both.py read-kafka KAFKA PULSAR TOPIC COUNT RUN   as read, by librdkafka alone
Texts that may be binary are Base64. The last line is "all ok"; a failure is one line, and the process ends with 1.
"""
import base64
import json
import random
import sys

import confluent_kafka
import pulsar

TIMEOUT_SECONDS = 60


def binary(text):
    return None if text is None else base64.b64decode(text)


def text(content):
    return None if content is None else base64.b64encode(content).decode()


def write_kafka(address, topic, records):
    """Gives the offsets, -1 where the server has had a record already."""
    failures, offsets = [], {}
    producer = confluent_kafka.Producer({"bootstrap.servers": address, "compression.type": "lz4", "linger.ms": 100,
                                         "enable.idempotence": True, "reconnect.backoff.max.ms": 500})

    def delivered(number):
        def receipt(error, record):
            if error:
                failures.append(error)
            else:
                offsets[number] = -1 if record.offset() is None else record.offset()
        return receipt

    for number, record in enumerate(records):
        producer.produce(topic, key=binary(record["key"]), value=binary(record["value"]), timestamp=record.get("time", 0),
                         headers=[(name, binary(value)) for name, value in record["headers"]], on_delivery=delivered(number))
    if producer.flush(TIMEOUT_SECONDS) or failures:
        sys.exit(f"FAILED: librdkafka's records: {failures[:3]}")
    return [offsets[number] for number in range(len(records))]


def write_pulsar(client, topic, messages, name=None):
    """Gives the offsets, -1 where the server has had a message already."""
    failures, offsets = [], {}
    producer = client.create_producer(topic, name, compression_type=pulsar.CompressionType.ZLib, batching_enabled=True,
                                      batching_max_publish_delay_ms=100)

    def sent(number):
        def receipt(result, place):
            if result == pulsar.Result.Ok:
                offsets[number] = -1 if place.entry_id() < 0 else place.entry_id() + max(0, place.batch_index())
            else:
                failures.append(result)
        return receipt

    for number, message in enumerate(messages):
        producer.send_async(binary(message["value"]), sent(number), partition_key=message["key"],
                            properties=dict(message["properties"]), event_timestamp=message.get("time") or None)
    producer.flush()
    if failures:
        sys.exit(f"FAILED: the C++ client's messages: {failures[:3]}")
    producer.close()
    return [offsets[number] for number in range(len(messages))]


def write_chunks(service, topic, messages):
    failures, offsets = [], {}
    clients = [pulsar.Client(service, operation_timeout_seconds=TIMEOUT_SECONDS) for _ in range(2)]
    producers = [client.create_producer(topic, batching_enabled=False, chunking_enabled=True) for client in clients]

    def sent(number):
        def receipt(result, place):
            if result == pulsar.Result.Ok:
                offsets[number] = place.entry_id()
            else:
                failures.append(result)
        return receipt

    for number, message in enumerate(messages):
        producers[number % 2].send_async(binary(message["value"]), sent(number), partition_key=message["key"],
                                         properties=dict(message["properties"]))
    for producer in producers:
        producer.flush()
    if failures or len(offsets) < len(messages):
        sys.exit(f"FAILED: the C++ client's messages in chunks: {failures[:3]}, {len(offsets)} receipts")
    for client in clients:
        client.close()
    print(json.dumps({"offsets": [offsets[number] for number in range(len(messages))]}))


def read_kafka(address, topic, count, run):
    consumer = confluent_kafka.Consumer({"bootstrap.servers": address, "group.id": f"librdkafka-{run}",
                                         "auto.offset.reset": "earliest", "isolation.level": "read_committed"})
    consumer.subscribe([topic])
    for _ in range(count):
        record = consumer.poll(TIMEOUT_SECONDS)
        if record is None or record.error():
            sys.exit(f"FAILED: librdkafka read {record and record.error()}")
        print(json.dumps({"client": "librdkafka", "key": text(record.key()), "value": text(record.value()),
                          "headers": [[name, text(value)] for name, value in record.headers() or []]}))
    consumer.close()


def read_pulsar(client, topic, count, run):
    consumer = client.subscribe(topic, f"cpp-{run}", initial_position=pulsar.InitialPosition.Earliest,
                                consumer_type=pulsar.ConsumerType.Shared, negative_ack_redelivery_delay_ms=100,
                                batch_index_ack_enabled=True)
    seen, acknowledged = set(), set()
    while len(acknowledged) < count:
        message = consumer.receive(TIMEOUT_SECONDS * 1000)
        place = str(message.message_id())
        if place not in seen:
            seen.add(place)
            print(json.dumps({"client": "cpp", "key": message.partition_key(), "value": text(message.data()),
                              "properties": message.properties()}))
            if len(seen) == 5:
                # comes again, with what is not yet acknowledged of its batch
                consumer.negative_acknowledge(message)
                continue
        consumer.acknowledge(message)
        acknowledged.add(place)
    consumer.close()


def take(client, topic, subscription, seed):
    chance = random.Random(seed)
    consumer = client.subscribe(topic, subscription, consumer_type=pulsar.ConsumerType.Shared, batch_index_ack_enabled=True,
                                initial_position=pulsar.InitialPosition.Earliest, negative_ack_redelivery_delay_ms=100)
    taken = {}
    for _ in range(1 + chance.randrange(20)):
        try:
            message = consumer.receive(100 if taken else 500)
        except pulsar.Timeout:
            break
        place = message.message_id()
        offset = place.entry_id() + max(0, place.batch_index())
        taken.setdefault(offset, False)
        if chance.randrange(3) == 0:
            consumer.negative_acknowledge(message)
            continue
        try:
            consumer.acknowledge(message)
            taken[offset] = True
        except pulsar.PulsarException:
            taken[offset] = None
    try:
        consumer.close()
    except pulsar.PulsarException:
        pass  # the server is gone, and the consumer with it
    print(json.dumps({"taken": list(taken.items())}))


def main():
    what, kafka, service, topic = sys.argv[1:5]
    client = pulsar.Client(service, operation_timeout_seconds=TIMEOUT_SECONDS)
    if what == "write":
        with open(sys.argv[5], encoding="utf-8") as file:
            contents = json.load(file)
        write_kafka(kafka, topic, contents["kafka"])
        write_pulsar(client, topic, contents["pulsar"])
    elif what == "history":
        with open(sys.argv[5], encoding="utf-8") as file:
            contents = json.load(file)
        print(json.dumps({"kafka": write_kafka(kafka, topic, contents["kafka"]),
                          "pulsar": write_pulsar(client, topic, contents["pulsar"], sys.argv[6])}))
    elif what == "take":
        take(client, topic, sys.argv[5], int(sys.argv[6]))
    elif what == "chunks":
        with open(sys.argv[5], encoding="utf-8") as file:
            write_chunks(service, topic, json.load(file)["pulsar"])
    else:
        read_kafka(kafka, topic, int(sys.argv[5]), sys.argv[6])
        if what == "read":
            read_pulsar(client, topic, int(sys.argv[5]), sys.argv[6])
    client.close()
    print("all ok", flush=True)


main()
