package io.sluice.conversion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Entries that many readers want are made once, and no more of them are kept than may be. */
class ConvertedEntriesTest {
    private final ConvertedEntries entries = new ConvertedEntries(10_000);

    private static ConvertedEntries.Key key(long offset) {
        return new ConvertedEntries.Key(1, offset, 7, false);
    }

    private static ConvertedEntries.Made made(int size) {
        return new ConvertedEntries.Made(Unpooled.wrappedBuffer(new byte[size]), null);
    }

    @Test
    void tenReadersAtOnceHaveItMadeOnce() throws Exception {
        AtomicInteger made = new AtomicInteger();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        List<CompletableFuture<ByteBuf>> readers = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            CompletableFuture<ByteBuf> reader = new CompletableFuture<>();
            readers.add(reader);
            Thread.ofVirtual()
                    .start(() -> reader.complete(entries.get(key(5), _ -> true, () -> {
                        made.incrementAndGet();
                        begun.countDown();
                        try {
                            goOn.await();
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                        return made(100);
                    })));
        }
        begun.await();
        goOn.countDown();
        for (CompletableFuture<ByteBuf> reader : readers) {
            assertThat(reader.get().readableBytes()).isEqualTo(100);
        }
        assertThat(made).hasValue(1);
        entries.get(key(5), _ -> true, () -> {
            throw new AssertionError("it is kept");
        });
    }

    @Test
    void theOneThatWasReadLongestAgoGoes() {
        for (int i = 0; i < 100; i++) {
            entries.get(key(i), _ -> true, () -> made(1000));
            entries.get(key(0), _ -> true, () -> made(1000));
            assertThat(entries.bytes()).isLessThanOrEqualTo(10_000);
        }
        AtomicInteger made = new AtomicInteger();
        for (int i : new int[] {0, 99, 98, 50}) {
            entries.get(key(i), _ -> true, () -> {
                made.incrementAndGet();
                return made(1000);
            });
        }
        assertThat(made).as("but for the one in the middle all are kept").hasValue(1);
    }

    @Test
    void aLargeOneIsNotKept() {
        entries.get(key(1), _ -> true, () -> made(5000));
        assertThat(entries.bytes()).isZero();
    }

    @Test
    void anotherEntryAtTheSameOffsetIsAnotherOne() {
        entries.get(key(1), _ -> true, () -> made(10));
        assertThat(entries.get(new ConvertedEntries.Key(1, 1, 8, false), _ -> true, () -> made(20))
                        .readableBytes())
                .isEqualTo(20);
    }

    @Test
    void afterAFailureItIsMadeAgain() {
        assertThatThrownBy(() -> entries.get(key(1), _ -> true, () -> {
                    throw new IllegalStateException("no");
                }))
                .hasMessage("no");
        assertThat(entries.get(key(1), _ -> true, () -> made(10)).readableBytes())
                .isEqualTo(10);
    }

    @Test
    void whatWasMadeByOtherSchemasIsMadeAgain() {
        TopicPrefixes before = new TopicPrefixes(TopicPrefixes.Use.FOR_PULSAR, List.of());
        TopicPrefixes after = new TopicPrefixes(TopicPrefixes.Use.FOR_BOTH, List.of());
        ByteBuf bytes = Unpooled.wrappedBuffer(new byte[1000]);
        entries.get(key(1), _ -> true, () -> new ConvertedEntries.Made(bytes, before));
        assertThat(entries.get(key(1), by -> by == before, () -> made(10)).readableBytes())
                .isEqualTo(1000);
        assertThat(entries.get(key(1), by -> by == after, () -> made(10)).readableBytes())
                .isEqualTo(10);
        assertThat(entries.bytes()).as("the other is not counted").isEqualTo(210);
    }
}
