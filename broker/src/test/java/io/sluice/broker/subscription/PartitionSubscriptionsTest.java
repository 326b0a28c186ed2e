package io.sluice.broker.subscription;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.log.Answers;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.InMemoryContainer;
import io.sluice.store.segment.InMemoryContainers;
import io.sluice.store.segment.SegmentRider;
import io.sluice.store.segment.StoreFailure;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PartitionSubscriptionsTest {
    private static final long END = 100_000;

    private final InMemoryContainers containers =
            InMemoryContainers.callerDriven(1, (c, info, attributes, snapshot) -> new Rider(c, snapshot), () -> 0);
    private final Answers answers = new Answers();
    private @Nullable Rider rider;

    /** A rider with nothing but subscriptions, which counts the notes. */
    private final class Rider implements SegmentRider {
        private final PartitionSubscriptions subscriptions;
        private int notes;

        Rider(io.sluice.store.segment.SegmentContainer container, @Nullable ByteBuf snapshot) {
            subscriptions = new PartitionSubscriptions(container, 1, () -> END);
            if (snapshot != null) {
                subscriptions.restore(snapshot);
            }
            rider = this;
        }

        @Override
        public void applyAppend(long position, ByteBuf data) {}

        @Override
        public void applyNote(ByteBuf note) {
            notes++;
            subscriptions.applyNote(note.readByte(), note);
        }

        @Override
        public void durable(long durableLength) {}

        @Override
        public void snapshot(ByteBuf out) {
            subscriptions.snapshot(out);
        }

        @Override
        public void closed(StoreFailure why) {
            subscriptions.closed(why);
        }
    }

    PartitionSubscriptionsTest() {
        containers.start();
        container().create(1, (byte) 1, Unpooled.EMPTY_BUFFER, Durable.IGNORED);
    }

    @AfterEach
    void close() {
        containers.close();
    }

    private InMemoryContainer container() {
        return containers.get(0);
    }

    private Rider rider() {
        Rider r = rider;
        if (r == null) {
            throw new IllegalStateException("there is no rider");
        }
        return r;
    }

    private PartitionSubscriptions subscriptions() {
        return rider().subscriptions;
    }

    private Cursor create(String name) {
        return subscriptions().create(name, 0, Map.of(), Durable.IGNORED);
    }

    private Cursor find(String name) {
        Cursor cursor = subscriptions().find(name);
        if (cursor == null) {
            throw new IllegalStateException("no subscription " + name);
        }
        return cursor;
    }

    @Test
    void acknowledgementsOfATurnAreOneNote() {
        Cursor a = create("a");
        Cursor b = create("b");
        containers.drain();
        int before = rider().notes;
        for (int i = 0; i < 1_000; i++) {
            a.ack(2L * i, 2L * i, answers);
            b.ackUpTo(i, Durable.IGNORED);
        }
        assertThat(answers.next()).isNull();
        containers.drain();
        assertThat(rider().notes).isEqualTo(before + 1);
        for (int i = 0; i < 1_000; i++) {
            assertThat(answers.next()).isEqualTo("durable");
        }
    }

    @Test
    void acknowledgementsNotDurableAreLost() {
        Cursor a = create("a");
        containers.drain();
        container().hold();
        a.ack(5, 9, answers);
        containers.drain();
        assertThat(a.isAcked(5)).isTrue();
        containers.restart();
        assertThat(answers.next()).isEqualTo("failed NotOwner");
        assertThat(find("a").isAcked(5)).isFalse();
    }

    @Test
    void holdsBackWhatWouldBeTooManyRanges() {
        Cursor a = create("a");
        for (int i = 0; i < DurableCursor.MAX_RANGES; i++) {
            a.ack(2L * i + 1, 2L * i + 1, Durable.IGNORED);
        }
        assertThat(a.ackedRanges()).isEqualTo(DurableCursor.MAX_RANGES);
        a.ack(50_001, 50_001, answers);
        assertThat(answers.next()).isEqualTo("failed Overloaded");
        assertThat(a.isAcked(50_001)).isFalse();
        a.ack(2, 2, answers);
        a.ack(0, 0, answers);
        containers.drain();
        containers.restart();
        assertThat(find("a").ackedBelow()).isEqualTo(4);
        assertThat(find("a").ackedRanges()).isEqualTo(DurableCursor.MAX_RANGES - 2);
    }

    @Test
    void passesOverWhatWasNeverHandedOut() {
        Cursor a = create("a");
        a.ack(END - 1, END + 10, Durable.IGNORED);
        a.ack(END + 5, END + 10, answers);
        a.ack(-3, 10, answers);
        containers.drain();
        assertThat(answers.next()).isEqualTo("durable");
        assertThat(answers.next()).isEqualTo("durable");
        assertThat(a.ackedAbove()).isEqualTo(1);
        a.ackUpTo(Long.MAX_VALUE, Durable.IGNORED);
        assertThat(a.ackedBelow()).isEqualTo(END);
        a.seek(Long.MAX_VALUE, Durable.IGNORED);
        assertThat(a.ackedBelow()).isEqualTo(END);
    }

    @Test
    void aDeletedCursorThatSomebodyHoldsDoesNothing() {
        Cursor a = create("a");
        a.ack(5, 5, answers);
        subscriptions().delete("a", answers);
        a.ack(6, 6, answers);
        a.seek(3, answers);
        Cursor again = create("a");
        a.ackUpTo(10, answers);
        containers.drain();
        for (int i = 0; i < 5; i++) {
            assertThat(answers.next()).isEqualTo("durable");
        }
        assertThat(again.ackedBelow()).isZero();
        containers.restart();
        assertThat(find("a").ackedBelow()).isZero();
    }

    @Test
    void createGivesTheOneThatExists() {
        Cursor a = create("a");
        assertThat(subscriptions().create("a", 50, Map.of("k", "v"), answers)).isSameAs(a);
        containers.drain();
        assertThat(answers.next()).isEqualTo("durable");
        assertThat(subscriptions().all()).hasSize(1);
    }

    @Test
    void boundsNamesAndNumber() {
        assertThatThrownBy(() -> create("x".repeat(Subscriptions.MAX_NAME_AND_PROPERTIES + 1)))
                .isInstanceOf(IllegalArgumentException.class);
        for (int i = 0; i < Subscriptions.MAX; i++) {
            create("s" + i);
        }
        assertThatThrownBy(() -> create("one more")).isInstanceOf(IllegalArgumentException.class);
        assertThat(create("s5")).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void whatIsDurableSurvivesEveryRestart(long seed) {
        Random random = new Random(seed);
        Map<String, BitSet> model = new HashMap<>();
        for (int i = 0; i < 2_000; i++) {
            String name = "s" + random.nextInt(3);
            BitSet acked = model.get(name);
            int at = random.nextInt(200);
            if (acked == null) {
                create(name);
                model.put(name, new BitSet());
                continue;
            }
            switch (random.nextInt(40)) {
                case 0 -> {
                    subscriptions().delete(name, Durable.IGNORED);
                    model.remove(name);
                }
                case 1 -> {
                    find(name).seek(at, Durable.IGNORED);
                    acked.clear();
                    acked.set(0, at);
                }
                case 2 -> container().checkpoint();
                case 3 -> {
                    containers.drain();
                    containers.restart();
                }
                case 4 -> containers.doWork();
                case 5 -> {
                    find(name).ackUpTo(at, Durable.IGNORED);
                    acked.set(0, at + 1);
                }
                default -> {
                    find(name).ack(at, at + i % 4, Durable.IGNORED);
                    acked.set(at, at + i % 4 + 1);
                }
            }
            model.forEach((each, bits) -> check(find(each), bits));
        }
        assertThat(subscriptions().all()).hasSameSizeAs(model.keySet());
    }

    private static void check(Cursor cursor, BitSet model) {
        int below = model.nextClearBit(0);
        assertThat(cursor.ackedBelow()).isEqualTo(below);
        assertThat(cursor.ackedAbove()).isEqualTo(model.cardinality() - below);
        assertThat(cursor.nextUnacked(50)).isEqualTo(model.nextClearBit(50));
    }
}
