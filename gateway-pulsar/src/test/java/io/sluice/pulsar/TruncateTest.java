package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Objects;
import org.apache.pulsar.client.admin.LongRunningProcessStatus.Status;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.admin.PulsarAdminException.NotFoundException;
import org.apache.pulsar.client.admin.Topics;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.Reader;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.TableView;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Topics of which everything is deleted, by the stock admin client. */
class TruncateTest extends ClientTest {
    private static final String T = "persistent://public/default/t";

    private TestAdmin http;
    private Topics topics;

    @BeforeEach
    void open() throws Exception {
        http = new TestAdmin(gateway);
        topics = http.client().topics();
    }

    @AfterEach
    void closeAdmin() throws Exception {
        http.close();
    }

    private static void send(Producer<byte[]> producer, String key, int value) throws Exception {
        producer.newMessage().key(key).value(bytes(value)).send();
    }

    private void compact() throws Exception {
        topics.triggerCompaction(T);
        await().atMost(Duration.ofSeconds(SOON)).until(() -> topics.compactionStatus(T).status == Status.SUCCESS);
    }

    private TableView<byte[]> table() throws Exception {
        return client.newTableView(Schema.BYTES).topic(T).create();
    }

    private long backlog() throws PulsarAdminException {
        return Objects.requireNonNull(topics.getStats(T).getSubscriptions().get("s"))
                .getMsgBacklog();
    }

    @Test
    void everythingGoesAndWhatIsCompactedToo() throws Exception {
        try (Producer<byte[]> producer = single(T);
                Consumer<byte[]> consumer = subscribe(T).subscribe()) {
            send(producer, "a", 1);
            send(producer, "b", 2);
            send(producer, "a", 3);
            compact();
            expect(consumer, 1, 2, 3);
            assertThat(backlog()).isEqualTo(3);
            topics.truncate(T);
            assertThat(backlog()).isZero();
            try (Reader<byte[]> reader = client.newReader()
                            .topic(T)
                            .startMessageId(MessageId.earliest)
                            .readCompacted(true)
                            .create();
                    TableView<byte[]> table = table()) {
                assertThat(reader.hasMessageAvailable()).isFalse();
                assertThat(table.size()).isZero();
            }
            send(producer, "c", 4);
            send(producer, "c", 5);
            compact();
            try (TableView<byte[]> table = table()) {
                assertThat(table.keySet()).containsExactly("c");
                assertThat(table.get("c")).isEqualTo(bytes(5));
            }
            expect(consumer, 4, 5);
            assertThat(backlog()).isEqualTo(2);
        }
        assertThatThrownBy(() -> topics.truncate("persistent://public/default/none"))
                .isInstanceOf(NotFoundException.class);
    }
}
