"""Confluent's serializers for Python: JSON Schema and Protobuf, each with references and with a later schema that breaks readers.

usage: schema_types.py BOOTSTRAP REGISTRY JSON_TOPIC PROTOBUF_TOPIC
The second topic has a record {n: 7} by another client. Prints "all ok", or exits with 1 and one line.
"""
import json
import sys

from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.schema_registry import Schema, SchemaReference, SchemaRegistryClient
from confluent_kafka.schema_registry.error import SchemaRegistryError
from confluent_kafka.schema_registry.json_schema import JSONDeserializer, JSONSerializer
from confluent_kafka.schema_registry.protobuf import ProtobufDeserializer, ProtobufSerializer
from confluent_kafka.serialization import MessageField, SerializationContext
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, timestamp_pb2

BOOTSTRAP, REGISTRY, JSON_TOPIC, PROTOBUF_TOPIC = sys.argv[1:]
INT64, STRING, MESSAGE = 3, 9, 11

registry = SchemaRegistryClient({"url": REGISTRY})
producer = Producer({"bootstrap.servers": BOOTSTRAP})


def check(condition, line):
    if not condition:
        sys.exit("FAILED: " + line)


def values(topic, count):
    """Values of the topic's first records, on partition 0."""
    consumer = Consumer({"bootstrap.servers": BOOTSTRAP, "group.id": "types", "auto.offset.reset": "earliest"})
    consumer.assign([TopicPartition(topic, 0, 0)])
    read = []
    while len(read) < count:
        message = consumer.poll(30)
        check(message is not None, f"no more than {len(read)} records in {topic}")
        check(message.error() is None, f"{message.error()}")
        read.append(message.value())
    consumer.close()
    return read


def write(topic, value):
    producer.produce(topic, value, partition=0)
    check(producer.flush(30) == 0, f"a record of {topic} was not acknowledged")


def check_refused(subject, schema):
    check(not registry.test_compatibility(subject, schema), f"a schema that breaks readers of {subject} passes")
    try:
        registry.register_schema(subject, schema)
        check(False, f"a schema that breaks readers of {subject} is registered")
    except SchemaRegistryError as e:
        check(e.http_status_code == 409, f"it is refused by {e}")


def check_referenced(subject, ids):
    check(registry.get_referenced_by(subject, 1) == ids, f"{registry.get_referenced_by(subject, 1)} refer to {subject}")
    try:
        registry.delete_subject(subject)
        check(False, f"{subject} is deleted, which others refer to")
    except SchemaRegistryError as e:
        check(e.error_code == 42206, f"the deletion is refused by {e}")


def json_schemas():
    subject = JSON_TOPIC + "-value"
    context = SerializationContext(JSON_TOPIC, MessageField.VALUE)
    unit = json.dumps({"$id": "https://example.com/unit.json", "type": "string", "minLength": 1})
    registry.register_schema("unit.json", Schema(unit, "JSON"))
    schema = {
        "title": "Reading",
        "type": "object",
        "properties": {"n": {"type": "integer"}, "unit": {"$ref": "https://example.com/unit.json"}},
        "required": ["n"],
        "additionalProperties": False,
    }
    refers = [SchemaReference("https://example.com/unit.json", "unit.json", 1)]
    text = Schema(json.dumps(schema), "JSON", refers)
    serializer = JSONSerializer(text, registry)
    write(JSON_TOPIC, serializer({"n": 1, "unit": "m"}, context))
    check_referenced("unit.json", [registry.lookup_schema(subject, text).schema_id])

    later = dict(schema, properties=dict(schema["properties"], at={"type": "string"}))
    serializer = JSONSerializer(Schema(json.dumps(later), "JSON", refers), registry)
    write(JSON_TOPIC, serializer({"n": 2, "at": "noon"}, context))
    check(registry.get_versions(subject) == [1, 2], f"versions are {registry.get_versions(subject)}")
    narrower = dict(later, properties=dict(later["properties"], n={"type": "string"}))
    check_refused(subject, Schema(json.dumps(narrower), "JSON", refers))

    deserializer = JSONDeserializer(Schema(json.dumps(later), "JSON", refers), schema_registry_client=registry)
    read = [deserializer(value, context) for value in values(JSON_TOPIC, 2)]
    check(read == [{"n": 1, "unit": "m"}, {"n": 2, "at": "noon"}], f"{read} was read")


def message_class(pool, file, name, imports, *fields):
    """Class of a message of a file; a field is its name, its number, and a scalar type or the name of a message."""
    proto = descriptor_pb2.FileDescriptorProto(name=file, package="conformance", syntax="proto3", dependency=imports)
    message = proto.message_type.add(name=name)
    for field, number, kind in fields:
        added = message.field.add(name=field, number=number, label=1, json_name=field)
        if isinstance(kind, int):
            added.type = kind
        else:
            added.type, added.type_name = MESSAGE, kind
    pool.Add(proto)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"conformance.{name}"))


def reading(*fields):
    pool = descriptor_pool.DescriptorPool()
    timestamp = descriptor_pb2.FileDescriptorProto()
    timestamp_pb2.DESCRIPTOR.CopyToProto(timestamp)
    pool.Add(timestamp)
    message_class(pool, "conformance/unit.proto", "Unit", [], ("name", 1, STRING))
    imports = ["conformance/unit.proto", "google/protobuf/timestamp.proto"]
    return message_class(pool, "conformance/reading.proto", "Reading", imports, *fields)


def protobuf_schemas():
    subject = PROTOBUF_TOPIC + "-value"
    context = SerializationContext(PROTOBUF_TOPIC, MessageField.VALUE)
    fields = [("n", 1, INT64), ("unit", 2, ".conformance.Unit"), ("at", 3, ".google.protobuf.Timestamp")]
    first = reading(*fields)
    serializer = ProtobufSerializer(first, registry)
    write(PROTOBUF_TOPIC, serializer(first(n=8, unit={"name": "m"}, at={"seconds": 9}), context))
    # a client has one form of a schema: this one would give its text to the deserializer, which wants a descriptor
    latest = SchemaRegistryClient({"url": REGISTRY}).get_latest_version(subject)
    check(latest.version == 1, f"the schema that another client registered as text has version {latest.version} here")
    check("message Reading" in latest.schema.schema_str, f"it reads {latest.schema.schema_str}")
    check([r.name for r in latest.schema.references] == ["conformance/unit.proto"], f"{latest.schema.references}")
    check_referenced("conformance/unit.proto", [latest.schema_id])

    later = reading(*fields, ("text", 4, STRING))
    serializer = ProtobufSerializer(later, registry)
    write(PROTOBUF_TOPIC, serializer(later(n=9, text="t"), context))
    check(registry.get_versions(subject) == [1, 2], f"versions are {registry.get_versions(subject)}")
    breaks = 'syntax = "proto3"; package conformance; message Reading { string n = 1; }'
    check_refused(subject, Schema(breaks, "PROTOBUF"))

    deserializer = ProtobufDeserializer(later, {"use.deprecated.format": False}, registry)
    read = [deserializer(value, context) for value in values(PROTOBUF_TOPIC, 3)]
    found = [(m.n, m.unit.name, m.at.seconds, m.text) for m in read]
    check(found == [(7, "", 0, ""), (8, "m", 9, ""), (9, "", 0, "t")], f"{found} was read")


check(set(registry.get_schema_types()) == {"AVRO", "JSON", "PROTOBUF"}, f"types are {registry.get_schema_types()}")
json_schemas()
protobuf_schemas()
print("all ok")
