package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/** A group of Kafka's consumers in a random history, whose committed offset is the one that was committed last. */
final class HistoryGroup implements HistoryPosition {
    private static final Duration POLL = Duration.ofMillis(300);

    private final HistoryBook book;
    private final String name;
    private long committed;
    /** An offset of which the answer did not come: this one or {@link #committed}. */
    private @Nullable Long tried;

    HistoryGroup(HistoryBook book, String name) {
        this.book = book;
        this.name = name;
    }

    @Override
    public String name() {
        return name;
    }

    /** Looks at the committed offset, reads from there or from somewhere else, commits. */
    void step(Random random) {
        try (KafkaConsumer<byte[], byte[]> consumer = book.consumer(name)) {
            check(consumer);
            long from = committed;
            if (random.nextInt(4) == 0 && !book.found().isEmpty()) {
                List<Long> offsets = new ArrayList<>(book.found().keySet());
                from = offsets.get(random.nextInt(offsets.size()));
            }
            consumer.seek(book.partition, from);
            List<Long> read = read(consumer, from);
            if (!read.isEmpty() && random.nextInt(4) > 0) {
                long next = read.get(random.nextInt(read.size())) + 1;
                tried = next;
                consumer.commitSync(Map.of(book.partition, new OffsetAndMetadata(next)));
                ended(next, true);
            }
        } catch (KafkaException e) {
            // the server is killed; what was tried is looked at next time
        }
    }

    private List<Long> read(KafkaConsumer<byte[], byte[]> consumer, long from) {
        List<Long> read = new ArrayList<>();
        for (ConsumerRecord<byte[], byte[]> each : consumer.poll(POLL)) {
            HistoryMessage message = book.message(HistoryMessage.number(each));
            assertThat(message.isSeenAs(each)).as("%s is %s", each, message).isTrue();
            book.seen(each.offset());
            read.add(each.offset());
        }
        if (!read.isEmpty()) {
            Set<Long> known =
                    book.found().subMap(from, true, read.getLast(), true).keySet();
            assertThat(new TreeSet<>(read)).as("%s from %d", name, from).containsAll(known);
        }
        return read;
    }

    private void check(KafkaConsumer<byte[], byte[]> consumer) {
        OffsetAndMetadata at = consumer.committed(Set.of(book.partition)).get(book.partition);
        long offset = at == null ? 0 : at.offset();
        if (tried != null && offset == tried) {
            committed = tried;
        }
        tried = null;
        assertThat(offset).as("offset of %s", name).isEqualTo(committed);
    }

    /** Offset that a transaction may commit. */
    Long next(Random random) {
        return committed + random.nextInt(10);
    }

    @Override
    public void ended(long next, boolean done) {
        if (done) {
            committed = next;
        }
        tried = null;
    }

    void check() {
        try (KafkaConsumer<byte[], byte[]> consumer = book.consumer(name)) {
            check(consumer);
        }
    }
}
