"""Consumes by Pulsar's C++ client and produces by librdkafka, whose transactions have the results and the position of the subscription.

usage: pipe_of_both.py KAFKA PULSAR FROM TO COUNT     copies COUNT messages; the first transaction it aborts
FROM has one partition. The last line is "all ok"; a failure is one line, and the process ends with 1.
"""
import sys

import confluent_kafka
import pulsar

TIMEOUT_SECONDS = 60
NAME = "pipe"
IN_A_TURN = 7


def subscribe(client, source):
    return client.subscribe(source, NAME, consumer_name=NAME, consumer_type=pulsar.ConsumerType.Failover,
                            initial_position=pulsar.InitialPosition.Earliest)


def turn(consumer, producer, source, target, group, count):
    """Leaves the transaction open."""
    producer.begin_transaction()
    offsets = []
    for _ in range(count):
        message = consumer.receive(TIMEOUT_SECONDS * 1000)
        place = message.message_id()
        offsets.append(place.entry_id() + max(0, place.batch_index()))
        producer.produce(target, message.data())
    position = confluent_kafka.TopicPartition(source, 0, offsets[-1] + 1, metadata=f"from={offsets[0]}")
    producer.send_offsets_to_transaction([position], group, TIMEOUT_SECONDS)


def main():
    kafka, service, source, target, count = sys.argv[1:6]
    client = pulsar.Client(service, operation_timeout_seconds=TIMEOUT_SECONDS)
    # it joins no group: only the name is wanted
    nobody = confluent_kafka.Consumer({"bootstrap.servers": kafka, "group.id": f"_sub.{source}/{NAME}"})
    group = nobody.consumer_group_metadata()
    producer = confluent_kafka.Producer({"bootstrap.servers": kafka, "transactional.id": NAME})
    producer.init_transactions(TIMEOUT_SECONDS)
    consumer = subscribe(client, source)
    turn(consumer, producer, source, target, group, IN_A_TURN)
    producer.abort_transaction(TIMEOUT_SECONDS)
    consumer.close()
    consumer = subscribe(client, source)
    left = int(count)
    while left > 0:
        turn(consumer, producer, source, target, group, min(left, IN_A_TURN))
        producer.commit_transaction(TIMEOUT_SECONDS)
        left -= IN_A_TURN
    consumer.close()
    nobody.close()
    client.close()
    print("all ok", flush=True)


main()
