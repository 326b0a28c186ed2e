package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.Reader;
import org.junit.jupiter.api.Test;

class ReaderTest extends ClientTest {
    private static void expect(Reader<byte[]> reader, int... values) throws Exception {
        for (int v : values) {
            Message<byte[]> m = reader.readNext((int) SOON, TimeUnit.SECONDS);
            assertThat(m).isNotNull();
            assertThat(value(m)).isEqualTo(v);
        }
    }

    @Test
    void readsToTheEndAndKnowsIt() throws Exception {
        try (Producer<byte[]> producer = batching("t", 4)) {
            sendBatch(producer, 0, 12);
            try (Reader<byte[]> reader = client.newReader()
                    .topic("t")
                    .startMessageId(MessageId.earliest)
                    .create()) {
                int read = 0;
                while (reader.hasMessageAvailable()) {
                    expect(reader, read++);
                }
                assertThat(read).isEqualTo(12);
                sendBatch(producer, 12, 16);
                assertThat(reader.hasMessageAvailable()).isTrue();
                expect(reader, 12, 13, 14, 15);
                assertThat(reader.hasMessageAvailable()).isFalse();
            }
        }
    }

    @Test
    void startsAfterOrAtAnId() throws Exception {
        List<MessageId> ids;
        try (Producer<byte[]> producer = batching("t", 4);
                Producer<byte[]> single = single("t2")) {
            ids = sendBatch(producer, 0, 12);
            try (Reader<byte[]> after = client.newReader()
                            .topic("t")
                            .startMessageId(ids.get(5))
                            .create();
                    Reader<byte[]> at = client.newReader()
                            .topic("t")
                            .startMessageId(ids.get(5))
                            .startMessageIdInclusive()
                            .create()) {
                expect(after, 6, 7, 8);
                expect(at, 5, 6, 7, 8);
            }
            MessageId third = null;
            for (int i = 0; i < 5; i++) {
                MessageId id = send(single, i);
                third = i == 2 ? id : third;
            }
            try (Reader<byte[]> after =
                            client.newReader().topic("t2").startMessageId(third).create();
                    Reader<byte[]> at = client.newReader()
                            .topic("t2")
                            .startMessageId(third)
                            .startMessageIdInclusive()
                            .create()) {
                expect(after, 3, 4);
                expect(at, 2, 3, 4);
            }
        }
    }

    @Test
    void startsAtTheLastMessageInclusive() throws Exception {
        try (Producer<byte[]> producer = single("t")) {
            send(producer, 1);
            send(producer, 2);
            try (Reader<byte[]> latest = client.newReader()
                            .topic("t")
                            .startMessageId(MessageId.latest)
                            .create();
                    Reader<byte[]> inclusive = client.newReader()
                            .topic("t")
                            .startMessageId(MessageId.latest)
                            .startMessageIdInclusive()
                            .create()) {
                assertThat(latest.hasMessageAvailable()).isFalse();
                assertThat(inclusive.hasMessageAvailable()).isTrue();
                expect(inclusive, 2);
                send(producer, 3);
                expect(latest, 3);
                expect(inclusive, 3);
            }
        }
    }

    @Test
    void startsBackInTimeAndOutlivesTheContainersTerm() throws Exception {
        try (Producer<byte[]> producer = single("t")) {
            send(producer, 1);
            send(producer, 2);
            try (Reader<byte[]> reader = client.newReader()
                    .topic("t")
                    .startMessageFromRollbackDuration(1, TimeUnit.HOURS)
                    .create()) {
                expect(reader, 1);
                int id = gateway.broker().partition("t", 0).container().id();
                gateway.broker().containers().stop(id);
                gateway.broker().containers().start(id);
                expect(reader, 2);
                send(producer, 3);
                expect(reader, 3);
            }
        }
    }

    @Test
    void seeks() throws Exception {
        try (Producer<byte[]> producer = batching("t", 4)) {
            List<MessageId> ids = sendBatch(producer, 0, 12);
            try (Reader<byte[]> reader = client.newReader()
                    .topic("t")
                    .startMessageId(MessageId.earliest)
                    .create()) {
                expect(reader, 0, 1, 2);
                reader.seek(ids.get(9));
                expect(reader, 10, 11);
                reader.seek(MessageId.earliest);
                expect(reader, 0, 1);
                reader.seek(System.currentTimeMillis() - 3_600_000);
                expect(reader, 0, 1);
            }
        }
    }

    @Test
    void tellsTheLastMessageId() throws Exception {
        try (Producer<byte[]> producer = batching("t", 5);
                Consumer<byte[]> consumer = subscribe("t").subscribe()) {
            assertThat(consumer.getLastMessageIds().getFirst().compareTo(MessageId.earliest))
                    .isLessThanOrEqualTo(0);
            List<MessageId> ids = sendBatch(producer, 0, 10);
            MessageId last = consumer.getLastMessageIds().getFirst();
            assertThat(last.compareTo(ids.getLast())).isEqualTo(0);
            assertThat(last.compareTo(ids.get(8))).isPositive();
        }
    }
}
