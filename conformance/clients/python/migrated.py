"""Pulsar's Python (C++) client beside cluster migration: a producer and a consumer that were told the old cluster's address go to the new one.

usage: migrated.py OLD_URL NEW_URL OLD_HTTP NAMESPACE
NAMESPACE, which is there in both clusters, is marked as migrated; where the old cluster's clients go is known there. Prints "all ok" at the end, or
exits with 1 and one line.
"""
import json
import sys
import time
import urllib.request

import pulsar

OLD, NEW, HTTP, NAMESPACE = sys.argv[1:]
TOPIC = f"persistent://{NAMESPACE}/python"
PATIENCE = 60_000


def check(condition, line):
    if not condition:
        print("FAILED: " + line, flush=True)
        sys.exit(1)


def mark():
    request = urllib.request.Request(f"{HTTP}/admin/v2/namespaces/{NAMESPACE}/migration", b"true",
                                     {"Content-Type": "application/json"}, method="POST")
    urllib.request.urlopen(request).close()
    deadline = time.monotonic() + PATIENCE / 1000
    while producers():
        check(time.monotonic() < deadline, "the producer stays")
        time.sleep(0.1)


def producers():
    path = TOPIC.replace("persistent://", "persistent/")
    with urllib.request.urlopen(f"{HTTP}/admin/v2/{path}/stats") as answer:
        return json.load(answer)["publishers"]


def subscribe(client, name):
    return client.subscribe(TOPIC, name, initial_position=pulsar.InitialPosition.Earliest)


def send(producer, begin, end):
    for n in range(begin, end):
        producer.send(f"m{n}".encode(), partition_key="k")


def receive(consumer, begin, end):
    messages = [consumer.receive(PATIENCE) for _ in range(begin, end)]
    got = [m.data().decode() for m in messages]
    check(got == [f"m{n}" for n in range(begin, end)], f"{begin} to {end} are {got}")
    return messages


def acknowledge(consumer, messages):
    for message in messages:
        consumer.acknowledge(message)


def expect_nothing(consumer):
    try:
        message = consumer.receive(1_000)
    except pulsar.Timeout:
        return
    check(False, f"nothing was to come, and it is {message.data()}")


old = pulsar.Client(OLD)
new = pulsar.Client(NEW)
subscribe(new, "s").close()
subscribe(new, "late").close()
producer = old.create_producer(TOPIC)
consumer = subscribe(old, "s")
send(producer, 0, 10)
acknowledge(consumer, receive(consumer, 0, 10))
send(producer, 10, 15)
held = receive(consumer, 10, 15)
mark()
send(producer, 15, 25)
expect_nothing(consumer)
acknowledge(consumer, held)
acknowledge(consumer, receive(consumer, 15, 20))
acknowledge(consumer, receive(consumer, 20, 25))
reader = new.create_reader(TOPIC, pulsar.MessageId.earliest)
first = []
while len(first) < 20 and reader.has_message_available():
    first.append(reader.read_next(PATIENCE).data().decode())
check("m24" in first and "m0" not in first, f"the new cluster has {first}")
late = old.create_producer(TOPIC)
send(late, 25, 30)
acknowledge(consumer, receive(consumer, 25, 30))
# one that has nothing in the old cluster goes at once, and begins where it was made in the new one
reading = subscribe(old, "late")
seen = []
while "m29" not in seen:
    message = reading.receive(PATIENCE)
    seen.append(message.data().decode())
    reading.acknowledge(message)
old.close()
new.close()
print("all ok")
