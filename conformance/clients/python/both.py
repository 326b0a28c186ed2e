"""librdkafka and Pulsar's C++ client on one topic.

usage: both.py write KAFKA PULSAR TOPIC CONTENTS     sends CONTENTS["kafka"] by the one, then CONTENTS["pulsar"] by the other
       both.py chunks KAFKA PULSAR TOPIC CONTENTS    sends CONTENTS["pulsar"] by two producers in turn, in chunks, and prints their offsets
       both.py read KAFKA PULSAR TOPIC COUNT RUN     prints what each reads, a JSON object per line; RUN names a new group and subscription
       both.py read-kafka KAFKA PULSAR TOPIC COUNT RUN   as read, by librdkafka alone
Texts that may be binary are Base64. The last line is "all ok"; a failure is one line, and the process ends with 1.
"""
import base64
import json
import sys

import confluent_kafka
import pulsar

TIMEOUT_SECONDS = 60


def binary(text):
    return None if text is None else base64.b64decode(text)


def text(content):
    return None if content is None else base64.b64encode(content).decode()


def write_kafka(address, topic, records):
    failures = []
    producer = confluent_kafka.Producer({"bootstrap.servers": address, "compression.type": "lz4", "linger.ms": 100,
                                         "enable.idempotence": True})
    for record in records:
        producer.produce(topic, key=binary(record["key"]), value=binary(record["value"]),
                         headers=[(name, binary(value)) for name, value in record["headers"]],
                         on_delivery=lambda error, _: error and failures.append(error))
    if producer.flush(TIMEOUT_SECONDS) or failures:
        sys.exit(f"FAILED: librdkafka's records: {failures[:3]}")


def write_pulsar(client, topic, messages):
    failures = []
    producer = client.create_producer(topic, compression_type=pulsar.CompressionType.ZLib, batching_enabled=True,
                                      batching_max_publish_delay_ms=100)
    for message in messages:
        producer.send_async(binary(message["value"]), lambda result, _: result == pulsar.Result.Ok or failures.append(result),
                            partition_key=message["key"], properties=dict(message["properties"]))
    producer.flush()
    if failures:
        sys.exit(f"FAILED: the C++ client's messages: {failures[:3]}")
    producer.close()


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


def main():
    what, kafka, service, topic = sys.argv[1:5]
    client = pulsar.Client(service, operation_timeout_seconds=TIMEOUT_SECONDS)
    if what == "write":
        with open(sys.argv[5], encoding="utf-8") as file:
            contents = json.load(file)
        write_kafka(kafka, topic, contents["kafka"])
        write_pulsar(client, topic, contents["pulsar"])
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
