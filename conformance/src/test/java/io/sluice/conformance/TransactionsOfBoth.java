package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.conformance.MixedTopic.KafkaView;
import io.sluice.conformance.MixedTopic.PulsarView;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A topic of both protocols, copied by Pulsar's C++ client and librdkafka and by both of Go's in transactions, one of which is aborted: the copies have
 * each message once, in order, for readers of both protocols, and the subscription is at the end.
 */
final class TransactionsOfBoth {
    private static final String FROM = "of-both";

    private TransactionsOfBoth() {}

    static void check(SluiceServer server) throws Exception {
        MixedTopic contents = new MixedTopic(9);
        JavaOfBoth.write(server, FROM, contents);
        int count = contents.kafka().size() + contents.pulsar().size();
        List<String> written = JavaOfBoth.readKafka(server, FROM, count).stream()
                .map(KafkaView::value)
                .map(TransactionsOfBoth::ofNull)
                .toList();
        ClientProgram.python("pipe_of_both.py", server.kafka(), server.pulsar(), FROM, "copied", "" + count);
        checkCopy(server, "pipe", "copied", written);
        ClientProgram.go("pipe", server.kafka(), server.pulsar(), FROM, "copied-go", "" + count);
        checkCopy(server, "pipe-go", "copied-go", written);
    }

    private static void checkCopy(SluiceServer server, String subscription, String to, List<String> written)
            throws Exception {
        int count = written.size();
        assertThat(JavaOfBoth.readKafka(server, to, count).stream()
                        .map(KafkaView::value)
                        .map(TransactionsOfBoth::ofNull))
                .isEqualTo(written);
        assertThat(JavaOfBoth.readPulsar(server, to, "copies", count).stream()
                        .map(PulsarView::value)
                        .map(TransactionsOfBoth::ofNull))
                .isEqualTo(written);
        TopicPartition partition = new TopicPartition(FROM, 0);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", server.kafka()))) {
            await().until(() -> Objects.requireNonNull(
                            admin.listConsumerGroupOffsets("_sub." + FROM + "/" + subscription)
                                    .partitionsToOffsetAndMetadata()
                                    .get(30, TimeUnit.SECONDS)
                                    .get(partition))
                    .equals(new OffsetAndMetadata(count)));
        }
    }

    /** The C++ client does not tell null from empty. */
    private static String ofNull(@Nullable String value) {
        return value == null ? "" : value;
    }
}
