"""A shadow topic has the messages of its source with their ids, for consumers of all types and readers, and takes none.

usage: shadow.py SERVICE_URL ADMIN_URL
"""
import json
import sys
import urllib.request

import pulsar
from pulsar import ConsumerType, InitialPosition

url, admin = sys.argv[1:3]
SOURCE = "persistent://public/default/python-source"
SHADOW = "persistent://public/default/python-shadow"
PARTITIONS, COUNT = 2, 10


def ask(method, path, body=None):
    request = urllib.request.Request(admin + "/admin/v2/persistent/public/default/" + path, method=method,
                                     headers={"content-type": "application/json"},
                                     data=None if body is None else json.dumps(body).encode())
    with urllib.request.urlopen(request) as answer:
        text = answer.read()
    return json.loads(text) if text else None


ask("PUT", "python-source/partitions", PARTITIONS)
ask("PUT", "python-shadow/partitions",
    {"partitions": PARTITIONS, "properties": {"PULSAR.SHADOW_SOURCE": SOURCE}})
ask("PUT", "python-source/shadowTopics", [SHADOW])
assert ask("GET", "python-source/shadowTopics") == [SHADOW]

client = pulsar.Client(url)
producer = client.create_producer(SOURCE, batching_enabled=False)


def produce(first, last):
    return {n: str(producer.send(b"%d" % n, partition_key=str(n))) for n in range(first, last)}


sent = produce(0, COUNT // 2)
consumers = [client.subscribe(SHADOW, kind.name, consumer_type=kind, initial_position=InitialPosition.Earliest)
             for kind in (ConsumerType.Exclusive, ConsumerType.Failover, ConsumerType.Shared, ConsumerType.KeyShared)]
sent.update(produce(COUNT // 2, COUNT))
for consumer in consumers:
    got = {}
    while len(got) < COUNT:
        message = consumer.receive(30_000)
        got[int(message.data())] = str(message.message_id())
        consumer.acknowledge(message)
    assert got == sent, f"{consumer.subscription_name()} got {got} in place of {sent}"
    print("ok", consumer.subscription_name())

reader = client.create_reader(SHADOW + "-partition-0", pulsar.MessageId.earliest)
read = set()
while reader.has_message_available():
    read.add(str(reader.read_next(30_000).message_id()))
assert read < set(sent.values()) and read, f"the reader got {read} of {sent}"
print("ok reader")

# by a client of its own: it does not close once a producer of it was refused for good
other = pulsar.Client(url).create_producer(SHADOW)
try:
    other.send(b"no")
    raise AssertionError("a shadow topic took a message")
except pulsar.ProducerFenced:  # what this client makes of a final refusal
    print("ok refused")
assert ask("GET", "python-source/subscriptions") == []
client.close()
print("all ok")
