"""Sends delayed messages, or receives them by a subscription of its own: each once, those that this sent not before their time.

usage: delayed.py send|receive SERVICE_URL TOPIC FROM TO TIME_MILLIS
"""
import sys
import time

import pulsar

what, url, topic = sys.argv[1:4]
first, last, due = map(int, sys.argv[4:])
client = pulsar.Client(url)

if what == "send":
    client.subscribe(topic, "python", consumer_type=pulsar.ConsumerType.Shared,
                     initial_position=pulsar.InitialPosition.Earliest).close()
    producer = client.create_producer(topic, block_if_queue_full=True)
    for n in range(first, last):
        producer.send_async(b"%d" % n, None, partition_key=str(n), properties={"due": str(due)}, deliver_at=due)
    producer.flush()
else:
    consumer = client.subscribe(topic, "python", consumer_type=pulsar.ConsumerType.Shared)
    got = []
    while len(got) < last - first:
        message = consumer.receive(30_000)
        got.append(int(message.data()))
        assert time.time() * 1000 >= int(message.properties().get("due", 0)), f"{got[-1]} came too early"
        consumer.acknowledge(message)
    assert sorted(got) == list(range(first, last)), f"got {sorted(got)}"
    assert time.time() * 1000 >= due, "it came too early"
client.close()
print("all ok")
