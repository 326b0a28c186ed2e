"""Confluent's Avro serializers for Python: they read what another client wrote with an earlier schema, and a schema that breaks readers is refused.

usage: schemas.py BOOTSTRAP REGISTRY TOPIC
The topic has records {n: 0} to {n: 2}. Writes {n: 3, text: "t3"} and {n: 4, text: "t4"}. Prints "all ok", or exits with 1 and one line.
"""
import json
import sys

from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.schema_registry import Schema, SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer, AvroSerializer
from confluent_kafka.schema_registry.error import SchemaRegistryError
from confluent_kafka.serialization import MessageField, SerializationContext

BOOTSTRAP, REGISTRY, TOPIC = sys.argv[1:]
SUBJECT = TOPIC + "-value"


def schema(*fields):
    return json.dumps({"type": "record", "name": "Reading", "fields": list(fields)})


NUMBER = {"name": "n", "type": "long"}
LATER = schema(NUMBER, {"name": "text", "type": "string", "default": "none"})
BREAKS = schema({"name": "n", "type": "string"})


def check(condition, line):
    if not condition:
        sys.exit("FAILED: " + line)


registry = SchemaRegistryClient({"url": REGISTRY})
context = SerializationContext(TOPIC, MessageField.VALUE)
serializer = AvroSerializer(registry, LATER)
producer = Producer({"bootstrap.servers": BOOTSTRAP})
for n in (3, 4):
    producer.produce(TOPIC, serializer({"n": n, "text": f"t{n}"}, context), partition=0)
check(producer.flush(30) == 0, "records were not acknowledged")
check(registry.get_versions(SUBJECT) == [1, 2], f"versions are {registry.get_versions(SUBJECT)}")

check(not registry.test_compatibility(SUBJECT, Schema(BREAKS, "AVRO")), "a schema that breaks readers passes")
try:
    registry.register_schema(SUBJECT, Schema(BREAKS, "AVRO"))
    check(False, "a schema that breaks readers is registered")
except SchemaRegistryError as e:
    check(e.http_status_code == 409, f"it is refused by {e}")

consumer = Consumer({"bootstrap.servers": BOOTSTRAP, "group.id": "schemas", "auto.offset.reset": "earliest"})
consumer.assign([TopicPartition(TOPIC, 0, 0)])
deserializer = AvroDeserializer(registry, LATER)
read = []
while len(read) < 5:
    message = consumer.poll(30)
    check(message is not None, f"no more than {read}")
    check(message.error() is None, f"{message.error()}")
    read.append(deserializer(message.value(), context))
consumer.close()
expected = [{"n": n, "text": "none" if n < 3 else f"t{n}"} for n in range(5)]
check(read == expected, f"{read} was read")
print("all ok")
