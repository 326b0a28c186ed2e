package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.conformance.clients.PulsarClients;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.BatchReceivePolicy;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Messages;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A Pulsar consumer that acknowledges every second message of many gets the others again after a kill, and only those. */
class ManyGapsTest {
    /** Two million are a million gaps. */
    private static final int MESSAGES = Integer.getInteger("gaps.messages", 30_000);

    private static final int BATCH = 1_000;

    @TempDir
    private Path folder;

    @Test
    @Timeout(400)
    void exactlyWhatWasNotAcknowledgedComesAgain() throws Exception {
        try (SluiceServer server = SluiceServer.start(folder.resolve("data"))) {
            publish(server);
            assertThat(receiveAndAcknowledgeEven(server, MESSAGES).cardinality())
                    .isEqualTo(MESSAGES);
            for (int restart = 0; restart < 2; restart++) {
                server.kill();
                server.start();
                BitSet again = receiveAndAcknowledgeEven(server, MESSAGES / 2);
                assertThat(again.cardinality()).isEqualTo(MESSAGES / 2);
                assertThat(again.stream().allMatch(i -> i % 2 == 1)).isTrue();
            }
        }
    }

    private static void publish(SluiceServer server) throws Exception {
        try (PulsarClient client = PulsarClients.builder(server.pulsar()).build();
                Producer<Integer> producer = client.newProducer(Schema.INT32)
                        .topic("gaps")
                        .batchingMaxMessages(BATCH)
                        .batchingMaxPublishDelay(1, TimeUnit.SECONDS)
                        .blockIfQueueFull(true)
                        .create()) {
            for (int i = 0; i < MESSAGES; i++) {
                producer.sendAsync(i);
            }
            producer.flush();
        }
    }

    /** Everything there is, and that it is no more than {@code expected}. */
    private static BitSet receiveAndAcknowledgeEven(SluiceServer server, int expected) throws Exception {
        BitSet got = new BitSet();
        List<CompletableFuture<Void>> acks = new ArrayList<>();
        try (PulsarClient client = PulsarClients.builder(server.pulsar()).build();
                Consumer<Integer> consumer = client.newConsumer(Schema.INT32)
                        .topic("gaps")
                        .subscriptionName("s")
                        .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                        .enableBatchIndexAcknowledgment(true)
                        .isAckReceiptEnabled(true)
                        .receiverQueueSize(20_000)
                        .batchReceivePolicy(BatchReceivePolicy.builder()
                                .maxNumMessages(BATCH)
                                .maxNumBytes(-1)
                                .timeout(500, TimeUnit.MILLISECONDS)
                                .build())
                        .subscribe()) {
            int silent = 0;
            // once all are here, one more look shows that nothing else comes
            while (got.cardinality() < expected ? silent < 40 : silent < 1) {
                Messages<Integer> some = consumer.batchReceive();
                silent = some.size() == 0 ? silent + 1 : 0;
                List<MessageId> even = new ArrayList<>();
                for (Message<Integer> m : some) {
                    got.set(m.getValue());
                    if (m.getValue() % 2 == 0) {
                        even.add(m.getMessageId());
                    }
                }
                acks.add(consumer.acknowledgeAsync(even));
            }
            for (CompletableFuture<Void> ack : acks) {
                ack.get(30, TimeUnit.SECONDS);
            }
        }
        return got;
    }
}
