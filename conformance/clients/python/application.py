"""librdkafka as one application of EverythingAtOnceTest: an idempotent producer, and the only member of a group.

usage: application.py ID BOOTSTRAP
Takes orders on its input and tells what it was answered and received, a line each; see ApplicationProgram.
"""
import sys
import threading
import time

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition

BOOTSTRAP = sys.argv[2]
KEYS = 5
ORDINARY, ELASTIC, GROUP = "ordinary", "elastic", "librdkafka"

# After these the group's member joins again, and what was not committed comes again.
JOINS_AGAIN = {KafkaError.ILLEGAL_GENERATION, KafkaError.UNKNOWN_MEMBER_ID, KafkaError.REBALANCE_IN_PROGRESS,
               KafkaError._STATE, KafkaError._NO_OFFSET, KafkaError._ASSIGNMENT_LOST}
# The server is away, or has just come back.
AWAY = {KafkaError._TRANSPORT, KafkaError._ALL_BROKERS_DOWN, KafkaError._TIMED_OUT, KafkaError.REQUEST_TIMED_OUT,
        KafkaError.COORDINATOR_NOT_AVAILABLE, KafkaError.NOT_COORDINATOR, KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
        KafkaError._WAIT_COORD, KafkaError._RESOLVE, KafkaError._TIMED_OUT_QUEUE}

turns = threading.Lock()
ends = threading.Event()


def tell(*words):
    with turns:
        sys.stdout.write(" ".join(str(word).replace("\n", " ") for word in words) + " .\n")
        sys.stdout.flush()


def settings(more):
    return {"bootstrap.servers": BOOTSTRAP, "reconnect.backoff.max.ms": 200, "log_level": 3, **more}


def answered(load, number):
    def told(error, message):
        if error is None:
            tell("acknowledged", load, number, f"{message.topic()}-{message.partition()}@{message.offset()}")
        else:
            tell("refused", load, number, error)
    return told


def send(producer, load, number):
    topic = ORDINARY if load.startswith(ORDINARY) else ELASTIC
    while True:
        try:
            producer.produce(topic, f"{load}:{number}", f"{load}:{int(number) % KEYS}", on_delivery=answered(load, number))
            return
        except BufferError:
            time.sleep(0.01)


def commit(consumer, following, committed):
    try:
        done = consumer.commit(offsets=[TopicPartition(t, p, o) for (t, p), o in following.items()], asynchronous=False)
        for each in done:
            if each.error is None:
                committed[each.topic, each.partition] = each.offset
    except KafkaException as e:
        error = e.args[0]
        if error.code() not in JOINS_AGAIN | AWAY and not error.retriable():
            tell("wrong", f"{GROUP} cannot commit: {error}")


def read(consumer):
    committed = {}
    while not ends.is_set():
        following = {}
        for message in consumer.consume(500, timeout=0.2):
            error = message.error()
            if error is not None:
                if error.fatal() or error.code() not in AWAY | JOINS_AGAIN and not error.retriable():
                    tell("wrong", f"{GROUP} gave up: {error}")
                continue
            load, number = message.value().decode().split(":")
            tell("received", GROUP, load, number, time.monotonic_ns())
            at = (message.topic(), message.partition())
            if message.offset() < committed.get(at, 0):
                tell("wrong", f"{GROUP} received {at}@{message.offset()} after its commit of {committed[at]}")
            following[at] = message.offset() + 1
        if following:
            commit(consumer, following, committed)
    consumer.close()


def main():
    producer = Producer(settings({"enable.idempotence": True, "message.timeout.ms": 180_000, "linger.ms": 5}))
    # Not static: a static member was fenced once after a kill of the server, which is fatal to librdkafka.
    consumer = Consumer(settings({"group.id": GROUP, "session.timeout.ms": 10_000, "auto.offset.reset": "earliest",
                                  "enable.auto.commit": False}))
    consumer.subscribe([ELASTIC])
    reader = threading.Thread(target=read, args=[consumer])
    reader.start()
    answers = threading.Thread(target=lambda: [producer.poll(0.1) for _ in iter(ends.is_set, True)])
    answers.start()
    tell("ready")
    for line in sys.stdin:
        _, load, number = line.split()
        send(producer, load, number)
    producer.flush(30)
    ends.set()
    reader.join(30)
    answers.join(30)


main()
