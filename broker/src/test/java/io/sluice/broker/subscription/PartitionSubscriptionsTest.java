package io.sluice.broker.subscription;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.Packed;
import io.sluice.broker.log.Answers;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.InMemoryContainer;
import io.sluice.store.segment.InMemoryContainers;
import io.sluice.store.segment.SegmentRider;
import io.sluice.store.segment.StoreFailure;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PartitionSubscriptionsTest {
    private static final long END = 40_000_000;
    private static final int MEMORY = 400_000;

    private final AckMemory memory = new AckMemory(MEMORY);

    private final InMemoryContainers containers =
            InMemoryContainers.callerDriven(1, (c, info, attributes, snapshot) -> new Rider(c, snapshot), () -> 0);
    private final Answers answers = new Answers();
    private @Nullable Rider rider;

    /** A rider with nothing but subscriptions, which counts the notes. */
    private final class Rider implements SegmentRider {
        private final PartitionSubscriptions subscriptions;
        private int notes;

        Rider(io.sluice.store.segment.SegmentContainer container, @Nullable ByteBuf snapshot) {
            subscriptions = new PartitionSubscriptions(container, 1, () -> END, memory, null);
            if (snapshot != null) {
                subscriptions.restore(snapshot.readByte(), snapshot);
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
            out.writeByte(subscriptions.version());
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
    void aMillionGapsSurviveARestart() {
        Cursor a = create("a");
        ackEverySecond(a, 1_000_000);
        containers.drain();
        assertThat(answers.next()).isEqualTo("durable");
        for (int restart = 0; restart < 2; restart++) {
            // the first restart reads notes, the second a checkpoint
            containers.restart();
            Cursor again = find("a");
            assertThat(again.ackedRanges()).isEqualTo(1_000_000);
            assertThat(again.ackedAbove()).isEqualTo(1_000_000);
            assertThat(firstWrong(again, 1_000_000)).isEqualTo(-1);
            container().checkpoint();
        }
        assertThat(container().snapshotSize(1)).isLessThan(260_000);
    }

    @Test
    void newPropertiesSurviveARestart() {
        Cursor a = subscriptions().create("a", 0, Map.of("old", "1"), Durable.IGNORED);
        a.describe(Map.of("new", "2"), answers);
        containers.drain();
        assertThat(answers.next()).isEqualTo("durable");
        for (int restart = 0; restart < 2; restart++) {
            // the first restart reads notes, the second a checkpoint
            containers.restart();
            assertThat(find("a").properties()).isEqualTo(Map.of("new", "2"));
            container().checkpoint();
        }
    }

    @Test
    void shareGroupsAreNoSubscriptionsAndSurviveARestart() {
        ShareCursor share = subscriptions().createShare("g", 3, Durable.IGNORED);
        share.ack(5, 6, Durable.IGNORED);
        share.setDelivered(List.of(new ShareCursor.Delivered(3, 4, 1), new ShareCursor.Delivered(7, 20, 2)), answers);
        share.setDelivered(List.of(new ShareCursor.Delivered(10, 12, 3)), answers);
        containers.drain();
        assertThat(answers.next()).isEqualTo("durable");
        for (int restart = 0; restart < 3; restart++) {
            // the first restart reads notes, the others a checkpoint
            containers.restart();
            ShareCursor again = Objects.requireNonNull(subscriptions().findShare("g"));
            assertThat(again.ackedBelow()).isEqualTo(3);
            assertThat(again.isAcked(5)).isTrue();
            assertThat(again.delivered())
                    .containsExactly(
                            new ShareCursor.Delivered(3, 4, 1),
                            new ShareCursor.Delivered(7, 9, 2),
                            new ShareCursor.Delivered(10, 12, 3),
                            new ShareCursor.Delivered(13, 20, 2));
            assertThat(subscriptions().all()).isEmpty();
            assertThat(subscriptions().find("_share.g")).isNull();
            container().checkpoint();
        }
        assertThat(subscriptions().whyNot("_share.x", Map.of())).contains("Kafka's groups");
        ShareCursor last = Objects.requireNonNull(subscriptions().findShare("g"));
        last.ackUpTo(14, Durable.IGNORED);
        assertThat(last.delivered()).containsExactly(new ShareCursor.Delivered(15, 20, 2));
        subscriptions().deleteShare("g", Durable.IGNORED);
        containers.drain();
        assertThat(subscriptions().findShare("g")).isNull();
    }

    private void ackEverySecond(Cursor cursor, int gaps) {
        for (long offset = 1; offset < 2L * gaps; offset += 2) {
            cursor.ack(offset, offset, Durable.IGNORED);
        }
        cursor.ack(1, 1, answers);
    }

    /** The first offset that is acknowledged and even, or odd and not; -1 if there is none. */
    private static long firstWrong(Cursor cursor, int gaps) {
        for (long offset = 0; offset < 2L * gaps; offset++) {
            if (cursor.isAcked(offset) != (offset % 2 == 1)) {
                return offset;
            }
        }
        return -1;
    }

    @Test
    void readsACheckpointOfTheFirstVersion() {
        ByteBuf old = Unpooled.buffer();
        Packed.writeUnsigned(old, 7);
        Packed.writeUnsigned(old, 1);
        Packed.writeUnsigned(old, 3);
        Packed.writeString(old, "a");
        SubscriptionNotes.writeProperties(old, Map.of("k", "v"));
        OffsetRanges ranges = new OffsetRanges();
        ranges.add(10, 20);
        ranges.add(30, 30);
        Packed.writeUnsigned(old, 5);
        ranges.write(old, 5);
        PartitionSubscriptions restored = new PartitionSubscriptions(container(), 1, () -> END, memory, null);
        restored.restore((byte) 1, old);
        assertThat(old.isReadable()).isFalse();
        Cursor a = restored.find("a");
        assertThat(a).isNotNull();
        if (a != null) {
            assertThat(a.ackedBelow()).isEqualTo(5);
            assertThat(a.ackedAbove()).isEqualTo(12);
            assertThat(a.properties()).containsEntry("k", "v");
        }
    }

    /** Two subscriptions, one after the other, so that the second finds little left. */
    @Test
    void beginsNoFurtherRangeWithoutMemory() {
        Cursor a = create("a");
        long acked = ackUntilRefused(a, 100);
        Cursor b = create("b");
        long second = ackUntilRefused(b, 100);
        assertThat(second).isBetween(1_000L, acked / 4);
        assertThat(memory.used()).isBetween(MEMORY - MEMORY / 4L, (long) MEMORY);

        // what is acknowledged beside a range, or from the beginning on, needs no memory
        a.ack(101, 101, answers);
        a.ackUpTo(100 * acked / 2, answers);
        containers.drain();
        assertThat(answers.next()).isEqualTo("durable");
        assertThat(answers.next()).isEqualTo("durable");
        assertThat(memory.used()).isLessThan(MEMORY);
        b.ack(END - 1, END - 1, answers);
        containers.drain();
        assertThat(answers.next()).isEqualTo("durable");

        containers.restart();
        assertThat(find("b").ackedAbove()).isEqualTo(second + 1);
        assertThat(memory.used()).isPositive();
        subscriptions().delete("a", Durable.IGNORED);
        find("b").seek(0, Durable.IGNORED);
        assertThat(memory.used()).isZero();
    }

    @Test
    void allSubscriptionsTogetherKeepToTheMemory() {
        int subscriptions = 200;
        long refused = 0;
        for (int i = 0; i < subscriptions; i++) {
            Cursor each = create("s" + i);
            for (int n = 1; n <= 100; n++) {
                each.ack(200_000L * n, 200_000L * n, answers);
                containers.drain();
                refused += "failed Overloaded".equals(answers.next()) ? 1 : 0;
            }
        }
        assertThat(refused).isPositive();
        assertThat(memory.used()).isBetween(MEMORY - 1_000L, MEMORY + 1_000L);
    }

    private long ackUntilRefused(Cursor cursor, int distance) {
        for (long n = 1; ; n++) {
            cursor.ack(n * distance, n * distance, answers);
            containers.drain();
            if ("failed Overloaded".equals(answers.next())) {
                assertThat(cursor.isAcked(n * distance)).isFalse();
                return n - 1;
            }
        }
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
        assertThat(subscriptions().whyNot("one more", Map.of())).contains("at most");
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

    /** In one turn of the loop, as consumers of a fan-out acknowledge: every second message, so that each is a range of its own. */
    @Test
    void notesOfManyCursorsLeaveTogetherWhenTheyAreFull() {
        int cursors = 100;
        for (int i = 0; i < cursors; i++) {
            create("s" + i);
        }
        int before = rider().notes;
        for (int n = 0; n < 700; n++) {
            for (int i = 0; i < cursors; i++) {
                find("s" + i).ack(2 * n + 1, 2 * n + 1, Durable.IGNORED);
            }
        }
        assertThat(rider().notes - before).isEqualTo(3);
        containers.drain();
        assertThat(rider().notes - before).isEqualTo(4);
        containers.restart();
        assertThat(find("s0").ackedRanges()).isEqualTo(700);
        assertThat(find("s" + (cursors - 1)).ackedRanges()).isEqualTo(700);
    }
}
