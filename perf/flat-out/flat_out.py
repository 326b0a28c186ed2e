"""One Pulsar client that publishes and reads one topic flat out. Prints rates and the longest pauses.

usage: flat_out.py URL SIZE batched|single SECONDS
"""

import sys
import threading
import time
import uuid

import pulsar


class Pace:
    """Counts events and keeps the longest time without one, in seconds."""

    def __init__(self, begin):
        self.count = 0
        self.longest = 0.0
        self.last = begin

    def event(self):
        now = time.monotonic()
        self.longest = max(self.longest, now - self.last)
        self.last = now
        self.count += 1


def main():
    url, size, mode, seconds = sys.argv[1], int(sys.argv[2]), sys.argv[3], float(sys.argv[4])
    client = pulsar.Client(url, logger=pulsar.ConsoleLogger(pulsar.LoggerLevel.Warn))
    topic = f"flat-out-{uuid.uuid4()}"
    batched = mode == "batched"
    consumer = client.subscribe(topic, "s", initial_position=pulsar.InitialPosition.Earliest)
    producer = client.create_producer(topic, batching_enabled=batched, block_if_queue_full=True, batching_max_publish_delay_ms=1)
    value = bytes(size)
    warm_up = time.monotonic() + 2
    while time.monotonic() < warm_up:
        producer.send(value)
        consumer.acknowledge(consumer.receive(20_000))
    begin = time.monotonic()
    end = begin + seconds
    receipts = Pace(begin)
    deliveries = Pace(begin)
    ended = threading.Event()
    failed = []

    def receipt(result, _):
        receipts.event()
        if result != pulsar.Result.Ok:
            failed.append(result)

    def read():
        while not ended.is_set():
            try:
                message = consumer.receive(100)
            except pulsar.Timeout:
                continue
            deliveries.event()
            consumer.acknowledge(message)

    reader = threading.Thread(target=read)
    reader.start()
    sent = 0
    while time.monotonic() < end:
        producer.send_async(value, receipt)
        sent += 1
    # what is without an event until now is a pause, too
    now = time.monotonic()
    pauses = [max(pace.longest, now - pace.last) for pace in (receipts, deliveries)]
    rates = [pace.count / seconds for pace in (receipts, deliveries)]
    ended.set()
    reader.join()
    print(f"python {size} {mode} published/s {rates[0]:.0f} read/s {rates[1]:.0f} "
          f"longest pause: receipts {pauses[0]:.2f} s deliveries {pauses[1]:.2f} s" + (f" FAILED {failed[0]}" if failed else ""), flush=True)
    client.close()


main()
