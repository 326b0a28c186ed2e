package io.sluice.pulsar;

import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.transaction.Transaction;
import org.apache.pulsar.client.api.transaction.TransactionCoordinatorClient;
import org.apache.pulsar.client.impl.PulsarClientImpl;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** {@link ClientTest}, with a client that has transactions. */
abstract class TransactionalClientTest extends ClientTest {
    PulsarClient plain;

    @BeforeEach
    void enable() throws Exception {
        plain = client;
        client = PulsarClients.builder("pulsar://127.0.0.1:" + gateway.port())
                .enableTransaction(true)
                .build();
    }

    @AfterEach
    void closePlain() throws Exception {
        plain.close();
    }

    Transaction begin() throws Exception {
        return begin(60);
    }

    Transaction begin(int seconds) throws Exception {
        return client.newTransaction()
                .withTransactionTimeout(seconds, TimeUnit.SECONDS)
                .build()
                .get();
    }

    static MessageId send(Producer<byte[]> producer, Transaction in, int value) throws PulsarClientException {
        return producer.newMessage(in).value(bytes(value)).send();
    }

    TransactionCoordinatorClient coordinators() {
        return ((PulsarClientImpl) client).getTcClient();
    }

    PartitionLog log(String topic) {
        return gateway.broker().partition(topic, 0);
    }

    long committedEnd(String topic) {
        PartitionLog log = log(topic);
        return gateway.broker().onLoop(log, () -> log.readableEnd(Isolation.COMMITTED));
    }

    /** Everything below is acknowledged in subscription {@code s}. */
    long ackedBelow(String topic) {
        PartitionLog log = log(topic);
        return gateway.broker().onLoop(log, () -> {
            Cursor cursor = Objects.requireNonNull(log.subscriptions().find("s"));
            return cursor.ackedBelow();
        });
    }
}
