package io.sluice.broker.log.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sluice.broker.TestEntries;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.entry.ProducerIds;
import io.sluice.broker.log.AppendRejection;
import io.sluice.broker.log.AppendRejection.Malformed;
import io.sluice.broker.log.AppendRejection.OutOfOrderSequence;
import io.sluice.broker.log.AppendRejection.StaleProducerEpoch;
import io.sluice.broker.log.ProducerLimits;
import io.sluice.broker.log.state.AppendVerdict.Accept;
import io.sluice.broker.log.state.AppendVerdict.Duplicate;
import io.sluice.broker.log.state.AppendVerdict.Refuse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PartitionStateTest {
    private static final ProducerLimits LIMITS = new ProducerLimits(3, 6_400);

    /** Its id is the partition's. */
    private static final long SEGMENT = 12;

    private PartitionState state = new PartitionState(LIMITS, 0, SEGMENT);

    private AppendVerdict append(ByteBuf entry) {
        AppendVerdict verdict = state.decide(entry);
        if (verdict == Accept.ACCEPT) {
            EntryHeader.assign(entry, 0, state.nextOffset(), 1);
            state.applyAppend(state.endPosition(), entry);
        }
        return verdict;
    }

    private AppendVerdict kafka(long producer, int epoch, int sequence, int count) {
        return append(TestEntries.kafka(producer, (short) epoch, sequence, count, 10, 5));
    }

    private AppendVerdict pulsar(String name, long highest, int count) {
        return append(TestEntries.pulsar(ProducerIds.named(name), highest, count, 10, 5));
    }

    private void clock(long now) {
        note(new PartitionNote.Clock(now));
    }

    /** As it is read from the log. */
    private void note(PartitionNote note) {
        ByteBuf bytes = Unpooled.buffer();
        note.write(bytes);
        state.applyNote(PartitionNote.read(bytes.readByte(), bytes));
        assertThat(bytes.isReadable()).isFalse();
    }

    private static ByteBuf snapshot(PartitionState of) {
        ByteBuf out = Unpooled.buffer();
        PartitionSnapshot.write(of.parts(), out);
        return out;
    }

    private void restart() {
        restore(snapshot(state));
    }

    private void restore(ByteBuf snapshot) {
        state = new PartitionState(LIMITS, 0, SEGMENT);
        PartitionSnapshot.read(snapshot, state, new ForeignPart((byte) 16));
        assertThat(snapshot.isReadable()).isFalse();
    }

    /** Keeps nothing. */
    private record ForeignPart(byte tag) implements StatePart {
        @Override
        public byte version() {
            return 1;
        }

        @Override
        public boolean isEmpty() {
            return false;
        }

        @Override
        public void snapshot(ByteBuf out) {
            out.writeByte(7);
        }

        @Override
        public void restore(byte version, ByteBuf in) {
            in.skipBytes(in.readableBytes());
        }
    }

    @Test
    void answersARepeatedBatchWithItsOffsets() {
        assertThat(kafka(7, 0, 0, 3)).isEqualTo(Accept.ACCEPT);
        assertThat(kafka(7, 0, 3, 2)).isEqualTo(Accept.ACCEPT);
        assertThat(kafka(7, 0, 0, 3)).isEqualTo(new Duplicate(0, 2));
        restart();
        assertThat(kafka(7, 0, 3, 2)).isEqualTo(new Duplicate(3, 4));
        assertThat(kafka(7, 0, 3, 1)).isInstanceOf(Refuse.class);
    }

    @Test
    void remembersFiveBatchesOfAProducer() {
        for (int i = 0; i < 6; i++) {
            kafka(7, 0, i, 1);
        }
        assertThat(kafka(7, 0, 1, 1)).isEqualTo(new Duplicate(1, 1));
        assertThat(refusal(kafka(7, 0, 0, 1))).isInstanceOf(OutOfOrderSequence.class);
    }

    @Test
    void sequencesStartOverAfterTheLargest() {
        kafka(7, 0, Integer.MAX_VALUE - 1, 2);
        assertThat(kafka(7, 0, 0, 1)).isEqualTo(Accept.ACCEPT);
        kafka(8, 0, Integer.MAX_VALUE, 3);
        assertThat(kafka(8, 0, 2, 1)).isEqualTo(Accept.ACCEPT);
        assertThat(kafka(8, 0, Integer.MAX_VALUE, 3)).isEqualTo(new Duplicate(3, 5));
    }

    @Test
    void acceptsAnySequenceOfAnUnknownProducerOnly() {
        assertThat(kafka(7, 3, 100, 1)).isEqualTo(Accept.ACCEPT);
        assertThat(refusal(kafka(7, 3, 102, 1)))
                .isEqualTo(new OutOfOrderSequence(7, 101, 102, "producer 7: expected sequence 101, got 102"));
        assertThat(refusal(kafka(7, 4, 101, 1))).isInstanceOf(OutOfOrderSequence.class);
        assertThat(kafka(7, 4, 0, 1)).isEqualTo(Accept.ACCEPT);
        assertThat(refusal(kafka(7, 3, 101, 1))).isInstanceOf(StaleProducerEpoch.class);
    }

    @Test
    void forgetsTheProducerThatWroteLongestAgo() {
        kafka(1, 0, 0, 1);
        kafka(2, 0, 0, 1);
        kafka(3, 0, 0, 1);
        kafka(1, 0, 0, 1);
        restart();
        kafka(4, 0, 0, 1);
        assertThat(state.trackedProducers()).isEqualTo(3);
        assertThat(kafka(2, 0, 0, 1)).isInstanceOf(Duplicate.class);
        assertThat(kafka(1, 0, 50, 1)).isEqualTo(Accept.ACCEPT);
    }

    @Test
    void forgetsProducersThatWroteNothingForTheExpiry() {
        clock(1_000);
        kafka(1, 0, 0, 1);
        pulsar("p", 4, 1);
        clock(7_000);
        kafka(2, 0, 0, 1);
        assertThat(state.trackedProducers()).isEqualTo(3);
        restart();
        clock(7_400);
        assertThat(state.trackedProducers()).isEqualTo(1);
        assertThat(state.pulsarProducers().lastSequenceId(ProducerIds.named("p")))
                .isEqualTo(-1);
    }

    @Test
    void dropsPulsarMessagesWhoseSequenceIsNotNew() {
        assertThat(pulsar("p", 4, 5)).isEqualTo(Accept.ACCEPT);
        assertThat(pulsar("p", 4, 5)).isEqualTo(new Duplicate(0, 4));
        assertThat(pulsar("p", 6, 3)).isEqualTo(new Duplicate(-1, -1));
        assertThat(pulsar("p", 3, 1)).isEqualTo(new Duplicate(-1, -1));
        assertThat(pulsar("p", 1L << 40, 1)).isEqualTo(Accept.ACCEPT);
        restart();
        assertThat(pulsar("p", 1L << 40, 1)).isEqualTo(new Duplicate(5, 5));
        assertThat(pulsar("q", 0, 1)).isEqualTo(Accept.ACCEPT);
        assertThat(state.pulsarProducers().lastSequenceId(ProducerIds.named("p")))
                .isEqualTo(1L << 40);
    }

    private void exclusive(long epoch) {
        note(new PartitionNote.ExclusiveEpoch(epoch));
    }

    @Test
    void exclusiveEpochsOnlyRise() {
        assertThat(state.exclusiveWriter().epoch()).isEqualTo(-1);
        restart();
        assertThat(state.exclusiveWriter().epoch()).isEqualTo(-1);
        exclusive(4);
        exclusive(3);
        restart();
        assertThat(state.exclusiveWriter().epoch()).isEqualTo(4);
    }

    @Test
    void readsSnapshotsFromBeforeThereWereExclusiveEpochs() {
        String second = SECOND_VERSION;
        int epochAt = 2 * 10; // behind the version, the ends, the clock and the format
        restore(withSubscriptions("01" + second.substring(2, epochAt) + second.substring(epochAt + 2)));
        assertThat(state.exclusiveWriter().epoch()).isEqualTo(-1);
        assertThat(kafka(7, 2, 5, 2)).isEqualTo(Accept.ACCEPT);
    }

    /** What a server wrote before snapshots had parts: two batches of producer 7, a message of "p", the first batch deleted. */
    private static final String SECOND_VERSION =
            "0206dd010347d00f0550088080040103470e02010103010704d00f0200020003010301548de9c5a7a44d19520500d00f";

    private static ByteBuf withSubscriptions(String state) {
        return Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(state + "01" + "00"));
    }

    @Test
    void readsSnapshotsFromBeforeTheyHadParts() {
        restore(withSubscriptions(SECOND_VERSION));
        assertThat(state.startOffset()).isEqualTo(3);
        assertThat(state.nextOffset()).isEqualTo(6);
        assertThat(state.exclusiveWriter().epoch()).isEqualTo(4);
        assertThat(state.clock().now()).isEqualTo(1_000);
        assertThat(state.offsets().extents().partitionId()).isEqualTo(SEGMENT);
        assertThat(kafka(7, 2, 3, 2)).isEqualTo(new Duplicate(3, 4));
        assertThat(pulsar("p", 41, 1)).isEqualTo(new Duplicate(5, 5));
        assertThat(kafka(7, 2, 5, 2)).isEqualTo(Accept.ACCEPT);
        restart();
        assertThat(kafka(7, 2, 5, 2)).isEqualTo(new Duplicate(6, 7));
    }

    @Test
    void namesAPartOfItsSnapshotThatItDoesNotKnow() {
        ByteBuf newer = Unpooled.buffer();
        PartitionSnapshot.write(List.of(state.offsets(), new ForeignPart((byte) 99)), newer);
        assertThatThrownBy(() -> restore(newer))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("a newer server wrote this partition: its snapshot has a part 99 that is not known here");
    }

    @Test
    void refusesAPartInANewerVersion() {
        exclusive(3);
        ByteBuf newer = snapshot(state);
        newer.setByte(newer.writerIndex() - 6, 2);
        assertThatThrownBy(() -> restore(newer))
                .hasMessage("a newer server wrote this partition: part 6 of its snapshot has version 2");
    }

    @Test
    void refusesWhatIsNotAnEntry() {
        assertThat(refusal(append(Unpooled.wrappedBuffer(new byte[60])))).isInstanceOf(Malformed.class);
        ByteBuf longer = TestEntries.plain(1, 10, 0).writeByte(0);
        assertThat(refusal(append(longer))).isInstanceOf(Malformed.class);
        assertThat(refusal(append(TestEntries.plain(1, 10, 0).setInt(57, 2)))).isInstanceOf(Malformed.class);
        assertThat(refusal(append(TestEntries.plain(0, 10, 0)))).isInstanceOf(Malformed.class);
        assertThat(refusal(append(TestEntries.plain(1, 10, 0).setByte(16, 1)))).isInstanceOf(Malformed.class);
        assertThat(refusal(append(TestEntries.plain(1, 7, 0).setByte(16, 0x50))))
                .isInstanceOf(Malformed.class);
        assertThat(refusal(append(TestEntries.plain(1, 7, 0).setLong(43, -2)))).isInstanceOf(Malformed.class);
        assertThat(state.nextOffset()).isZero();
    }

    private static AppendRejection refusal(AppendVerdict verdict) {
        assertThat(verdict).isInstanceOf(Refuse.class);
        return ((Refuse) verdict).why();
    }

    @Test
    void aQuietPartitionHasASmallSnapshot() {
        for (int i = 0; i < 500; i++) {
            append(TestEntries.plain(1, 60, 1_700_000_000_000L + i));
        }
        assertThat(snapshot(state).readableBytes()).isLessThan(64);
    }

    /** Every batch ever accepted, looked at from the front: slow and plain. */
    private static final class Model {
        private record Batch(int epoch, int sequence, int count, long base) {}

        private final Map<Long, List<Batch>> batches = new HashMap<>();

        String verdict(long producer, int epoch, int sequence, int count) {
            List<Batch> all = batches.getOrDefault(producer, List.of());
            if (all.isEmpty()) {
                return "accept";
            }
            Batch last = all.getLast();
            List<Batch> same = all.stream().filter(b -> b.epoch == last.epoch).toList();
            for (Batch b : same.subList(Math.max(0, same.size() - 5), same.size())) {
                if (b.epoch == epoch && b.sequence == sequence && b.count == count) {
                    return "duplicate " + b.base;
                }
            }
            if (epoch < last.epoch) {
                return "stale";
            }
            int expected = epoch > last.epoch ? 0 : (int) ((last.sequence + (long) last.count) % (1L << 31));
            return sequence == expected ? "accept" : "out of order";
        }

        void accepted(long producer, int epoch, int sequence, int count, long base) {
            batches.computeIfAbsent(producer, p -> new ArrayList<>()).add(new Batch(epoch, sequence, count, base));
        }
    }

    private static String name(AppendVerdict verdict) {
        return switch (verdict) {
            case Accept a -> "accept";
            case Duplicate d -> "duplicate " + d.baseOffset();
            case Refuse r -> r.why() instanceof StaleProducerEpoch ? "stale" : "out of order";
        };
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void decidesAsAModelThatRemembersEverything(long seed) {
        Random random = new Random(seed);
        Model model = new Model();
        int[] next = new int[3];
        int[] epoch = new int[3];
        for (int i = 0; i < 3_000; i++) {
            int p = random.nextInt(3);
            int count = 1 + random.nextInt(3);
            int sequence = next[p];
            switch (random.nextInt(8)) {
                case 0 -> sequence = Math.max(0, next[p] - random.nextInt(12));
                case 1 -> sequence = random.nextInt(4);
                case 2 -> epoch[p] = Math.max(0, epoch[p] + random.nextInt(3) - 1);
                case 3 -> sequence = i % 97 == 0 ? Integer.MAX_VALUE - random.nextInt(2) : sequence;
                default -> {}
            }
            String expected = model.verdict(p, epoch[p], sequence, count);
            long base = state.nextOffset();
            assertThat(name(kafka(p, epoch[p], sequence, count)))
                    .as("step %d", i)
                    .isEqualTo(expected);
            if (expected.equals("accept")) {
                model.accepted(p, epoch[p], sequence, count, base);
                next[p] = (sequence + count) & Integer.MAX_VALUE;
            }
            if (random.nextInt(50) == 0) {
                restart();
            }
        }
    }

    @Test
    void restoredStateWritesTheSameSnapshot() {
        Random random = new Random(9);
        for (int i = 0; i < 5_000; i++) {
            append(TestEntries.plain(1 + random.nextInt(5), random.nextInt(3_000), random.nextInt(1_000)));
            kafka(random.nextInt(5), 0, i, 1);
            pulsar("p" + random.nextInt(5), i, 1);
        }
        ByteBuf before = snapshot(state);
        restart();
        assertThat(snapshot(state)).isEqualTo(before);
    }
}
