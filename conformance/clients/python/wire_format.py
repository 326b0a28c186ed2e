"""Confluent's serializers and pulsar-client on one topic: each reads what the other wrote, by the topic's schema.

usage: wire_format.py BOOTSTRAP PULSAR REGISTRY READINGS BOTH PROTOBUF
READINGS has records {n: 0, ...} to {n: 4, ...} by Confluent's serializers; BOTH has the setting sluice.wire.format=both and is empty;
PROTOBUF, too, and has a timestamp of 9 s by another Pulsar client. Writes
{n: 10, text: "pulsar"} and {n: 11, text: "kafka"} to it, by one client each, and the second once more, as
pulsar-client sends on what it read.
Prints "all ok", or exits with 1 and one line.
"""
import sys

import pulsar
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer, AvroSerializer
from confluent_kafka.schema_registry.protobuf import ProtobufDeserializer
from confluent_kafka.serialization import MessageField, SerializationContext
from google.protobuf.timestamp_pb2 import Timestamp
from pulsar.schema import AvroSchema, Long, Record, String

BOOTSTRAP, PULSAR, REGISTRY, READINGS, BOTH, PROTOBUF = sys.argv[1:]


class Reading(Record):
    n = Long(required=True)
    text = String(required_default=True)


def check(condition, line):
    if not condition:
        sys.exit("FAILED: " + line)


def records(topic, count):
    consumer = Consumer({"bootstrap.servers": BOOTSTRAP, "group.id": "wire", "auto.offset.reset": "earliest"})
    consumer.assign([TopicPartition(topic, 0, 0)])
    read = []
    while len(read) < count:
        message = consumer.poll(30)
        check(message is not None, f"no more than {len(read)} records in {topic}")
        check(message.error() is None, f"{message.error()}")
        read.append(message)
    consumer.close()
    return read


def messages(topic, count, schema):
    consumer = client.subscribe(
        topic, "wire-python", schema=schema, initial_position=pulsar.InitialPosition.Earliest)
    read = [consumer.receive(timeout_millis=30_000) for _ in range(count)]
    for each in read:
        consumer.acknowledge(each)
    consumer.close()
    return read


def view(message):
    return message.value().n, message.value().text


client = pulsar.Client(PULSAR)
registry = SchemaRegistryClient({"url": REGISTRY})

# what Confluent's serializers wrote, in Go and Python and with two schemas
read = [view(message) for message in messages(READINGS, 5, AvroSchema(Reading))]
expected = [(n, None if n < 3 else f"t{n}") for n in range(5)]
check(read == expected, f"pulsar-client reads {read}")

# what pulsar-client writes, with a schema that only it has registered
producer = client.create_producer(BOTH, schema=AvroSchema(Reading))
producer.send(Reading(n=10, text="pulsar"), partition_key="k")
schema = registry.get_latest_version(BOTH + "-value")
context = SerializationContext(BOTH, MessageField.VALUE)
deserializer = AvroDeserializer(registry)
found = deserializer(records(BOTH, 1)[0].value(), context)
check(found == {"n": 10, "text": "pulsar"}, f"Confluent's deserializer reads {found}")

# and the other way round, with that schema
serializer = AvroSerializer(
    registry, schema.schema.schema_str, conf={"auto.register.schemas": False, "use.latest.version": True})
kafka = Producer({"bootstrap.servers": BOOTSTRAP})
kafka.produce(BOTH, serializer({"n": 11, "text": "kafka"}, context), partition=0)
check(kafka.flush(30) == 0, "a record was not acknowledged")
there = messages(BOTH, 2, AvroSchema(Reading))
check([view(message) for message in there] == [(10, "pulsar"), (11, "kafka")], f"pulsar-client reads {there}")
check("kafka.schema" not in there[0].properties(), f"{there[0].properties()}")
check(there[1].properties()["kafka.schema"] == str(schema.schema_id), f"{there[1].properties()}")

# what is sent on, with its properties, comes back as it was
plain = client.create_producer(BOTH, schema=AvroSchema(Reading))
plain.send(there[1].value(), properties=there[1].properties())
values = [message.value() for message in records(BOTH, 3)]
check(values[2] == values[1], f"{values[1]} comes back as {values[2]}")
check(deserializer(values[2], context) == {"n": 11, "text": "kafka"}, "it does not read")

# a Protobuf message of a Pulsar client; its file is one that the deserializer has, too, and so cannot be read again from the registry
value = records(PROTOBUF, 1)[0].value()
deserializer = ProtobufDeserializer(Timestamp, {"use.deprecated.format": False})
nine = deserializer(value, SerializationContext(PROTOBUF, MessageField.VALUE))
check(nine.seconds == 9, f"{nine} was read")
text = registry.get_schema(int.from_bytes(value[1:5], "big")).schema_str
check("message Timestamp" in text, f"its schema reads {text}")
client.close()
print("all ok")
