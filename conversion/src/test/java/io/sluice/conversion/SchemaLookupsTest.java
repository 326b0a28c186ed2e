package io.sluice.conversion;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sluice.conversion.TopicPrefixes.Known;
import io.sluice.conversion.TopicPrefixes.Use;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Schemas that are read while entries are converted. */
class SchemaLookupsTest {
    private static final int MANY = 2 * Runtime.getRuntime().availableProcessors() + 8;
    private static final byte[] SERIALIZED = {0, 0, 0, 0, 17, 'v'};
    private static final String FAILED = "failed";
    private static final TopicPrefixes NOTHING = new TopicPrefixes(Use.FOR_PULSAR, List.of());
    private static final TopicPrefixes SCHEMA = new TopicPrefixes(Use.FOR_PULSAR, List.of(new Known(17, 0, List.of())));

    /** Source whose reads a test answers. */
    private static final class Schemas implements PrefixSource {
        private final AtomicInteger reads = new AtomicInteger();
        private volatile @Nullable TopicPrefixes known;
        private volatile @Nullable TopicPrefixes stored = SCHEMA;
        private final CountDownLatch asked = new CountDownLatch(MANY);
        private volatile CountDownLatch answer = new CountDownLatch(0);

        @Override
        public @Nullable TopicPrefixes known(UUID topic) {
            return known;
        }

        @Override
        public TopicPrefixes read(UUID topic) {
            reads.incrementAndGet();
            asked.countDown();
            try {
                answer.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            TopicPrefixes now = stored;
            if (now == null) {
                throw new EarlierEntries.UnavailableException("no");
            }
            known = now;
            return now;
        }
    }

    private final Schemas schemas = new Schemas();
    private final EntryConversions conversions =
            EntryConversions.inHeap(Integer.MAX_VALUE, schemas, Thread::startVirtualThread);

    private static ByteBuf batch(byte[] value) {
        return TestEntries.kafka(Compression.NONE, new SimpleRecord(5, null, value));
    }

    /** Content of the message that becomes of a record, as hex. */
    private CompletableFuture<String> content(long partition, byte[] value) {
        CompletableFuture<String> content = new CompletableFuture<>();
        var place = new EntryConversions.Place(new UUID(0, 1), partition);
        conversions.toPulsar(place, batch(value), new BitSet(), false, Integer.MAX_VALUE, new EntryConversions.Reply() {
            @Override
            public void converted(ByteBuf bytes, long nextOffset) {
                ByteBuf copy = Unpooled.wrappedBuffer(ByteBufUtil.getBytes(bytes));
                bytes.release();
                content.complete(
                        String.valueOf(TestEntries.messages(copy).getFirst().payload()));
            }

            @Override
            public void failed() {
                content.complete(FAILED);
            }
        });
        return content;
    }

    private static String get(CompletableFuture<String> content) throws Exception {
        return content.get(60, TimeUnit.SECONDS);
    }

    @Test
    void whoWaitsForSchemasHoldsNobodyElseUp() throws Exception {
        schemas.answer = new CountDownLatch(1);
        List<CompletableFuture<String>> waiting = new ArrayList<>();
        for (int partition = 1; partition <= MANY; partition++) {
            waiting.add(content(partition, SERIALIZED));
        }
        assertThat(schemas.asked.await(60, TimeUnit.SECONDS))
                .as("more read at a time than there are turns")
                .isTrue();
        assertThat(get(content(0, new byte[] {1}))).isEqualTo("01");
        assertThat(waiting).noneMatch(CompletableFuture::isDone);
        schemas.answer.countDown();
        for (CompletableFuture<String> each : waiting) {
            assertThat(get(each)).isEqualTo("76");
        }
        assertThat(schemas.reads).hasValue(MANY);
    }

    @Test
    void afterAFailedReadTheEntryIsAskedForAgain() throws Exception {
        schemas.stored = null;
        for (int partition = 1; partition <= MANY; partition++) {
            assertThat(get(content(partition, SERIALIZED))).isEqualTo(FAILED);
        }
        schemas.stored = SCHEMA;
        assertThat(get(content(1, SERIALIZED))).isEqualTo("76");
    }

    /** The registry has given the id out a moment ago, and the change was not told here yet. */
    @Test
    void anIdThatIsNotKnownIsReadOnce() throws Exception {
        schemas.known = NOTHING;
        assertThat(get(content(1, SERIALIZED))).isEqualTo("76");
        schemas.known = NOTHING;
        schemas.stored = NOTHING;
        assertThat(get(content(2, SERIALIZED)))
                .as("it is asked for once of the same schemas")
                .isEqualTo("000000001176");
        assertThat(schemas.reads).hasValue(1);
        schemas.known = SCHEMA;
        assertThat(get(content(2, SERIALIZED)))
                .as("what was kept is made again")
                .isEqualTo("76");
    }

    @Test
    void otherValuesAskForNothing() throws Exception {
        assertThat(get(content(1, new byte[] {1, 2, 3, 4, 5, 6}))).isEqualTo("010203040506");
        assertThat(get(content(2, new byte[] {0, 0, 0, 0}))).isEqualTo("00000000");
        assertThat(get(content(3, new byte[] {0, 0, 0, 0, 0, 0})))
                .as("ids begin with 1")
                .isEqualTo("000000000000");
        assertThat(schemas.reads).hasValue(0);
    }
}
