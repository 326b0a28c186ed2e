"""librdkafka beside a cluster migration: what a producer of a topic that has migrated hears, alone, idempotent and in a transaction.

usage: migrated_kafka.py BOOTSTRAP TOPIC
"""

import sys

from confluent_kafka import KafkaError, KafkaException, Producer

bootstrap, topic = sys.argv[1:]


def producer(**settings):
    return Producer({"bootstrap.servers": bootstrap, "message.timeout.ms": 60000, **settings})


def refused(of):
    errors = []
    of.produce(topic, b"late", on_delivery=lambda error, message: errors.append(error))
    of.flush()
    assert [e and e.code() for e in errors] == [KafkaError.POLICY_VIOLATION], errors


refused(producer())
refused(producer(**{"enable.idempotence": True}))
transactional = producer(**{"transactional.id": "late"})
transactional.init_transactions(30)
transactional.begin_transaction()
refused(transactional)
try:
    transactional.commit_transaction(30)
    sys.exit("a transaction with a refused message was committed")
except KafkaException as e:
    assert e.args[0].txn_requires_abort(), e
transactional.abort_transaction(30)
print("all ok")
