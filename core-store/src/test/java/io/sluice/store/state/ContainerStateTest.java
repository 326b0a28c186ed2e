package io.sluice.store.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sluice.store.tier.TierRange;
import io.sluice.store.wal.WalException;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ContainerStateTest {
    private final ContainerState state = new ContainerState();

    @BeforeEach
    void begin() {
        state.beginTerm(3);
        state.apply(state.decideCreate(1, (byte) 1, Unpooled.wrappedBuffer(new byte[] {7})));
        append(1, 1000);
    }

    @Test
    void aTermMustRise() {
        assertThatThrownBy(() -> state.beginTerm(3)).isInstanceOf(BrokenInvariant.class);
    }

    @Test
    void appendsContinueTheSegment() {
        assertThat(state.decideAppend(1, data(10)).position()).isEqualTo(1000);
        assertThatThrownBy(() -> state.apply(new LogOperation.Append(1, 999, data(1))))
                .isInstanceOf(BrokenInvariant.class);
        assertThatThrownBy(() -> state.apply(new LogOperation.Append(2, 0, data(1))))
                .isInstanceOf(BrokenInvariant.class);
    }

    @Test
    void commitsContinueTheTieredLength() {
        long object = commit(0, 400);
        assertThat(segment(1).tieredLength()).isEqualTo(400);
        assertThat(Objects.requireNonNull(segment(1).rangeAt(399)).object()).isEqualTo(object);
        assertThat(segment(1).rangeAt(400)).isNull();
        assertThatThrownBy(() -> commit(500, 100)).isInstanceOf(BrokenInvariant.class);
        assertThatThrownBy(() -> commit(400, 601)).isInstanceOf(BrokenInvariant.class);
    }

    @Test
    void bytesThatTheLogNeverHadContinueASegmentThatIsAllInTheTier() {
        assertThatThrownBy(() -> state.decideTierAppend(1)).isInstanceOf(IllegalStateException.class);
        commit(0, 1000);
        assertThat(state.decideTierAppend(1)).isEqualTo(1000);
        long object = state.nextObject();
        state.apply(new LogOperation.TierIntent(object));
        state.apply(new LogOperation.TierAppend(object, new TierRange(1, 1000, 500, object, 0, 1)));
        assertThat(segment(1).length()).isEqualTo(1500);
        assertThat(segment(1).tieredLength()).isEqualTo(1500);
        segment(1).check();
        long second = state.nextObject();
        state.apply(new LogOperation.TierIntent(second));
        assertThatThrownBy(() ->
                        state.apply(new LogOperation.TierAppend(second, new TierRange(1, 1400, 500, second, 0, 1))))
                .isInstanceOf(BrokenInvariant.class);
    }

    @Test
    void bytesStoredForASegmentThatWasDeletedAreGarbage() {
        long object = state.nextObject();
        state.apply(new LogOperation.TierIntent(object));
        state.apply(new LogOperation.DeleteSegment(1));
        state.apply(new LogOperation.TierAppend(object, new TierRange(1, 0, 500, object, 0, 1)));
        assertThat(state.garbage(state.sequence())).containsExactly(object);
    }

    @Test
    void anUploadOvertakenByTruncationIsStillTaken() {
        state.apply(new LogOperation.Truncate(1, 150));
        commit(0, 200);
        assertThat(segment(1).tieredLength()).isEqualTo(200);
        state.apply(new LogOperation.Truncate(1, 300));
        commit(200, 100);
        assertThat(segment(1).manifest()).isEmpty();
        commit(300, 700);
        segment(1).check();
    }

    @Test
    void objectsBecomeGarbageWhenTheirLastRangeIsGoneForGood() {
        long first = commit(0, 400);
        commit(400, 600);
        assertThat(state.garbage(state.sequence())).isEmpty();
        state.apply(new LogOperation.Truncate(1, 400));
        assertThat(state.garbage(state.sequence() - 1))
                .as("the truncation is not durable yet")
                .isEmpty();
        assertThat(state.garbage(state.sequence())).containsExactly(first);
        state.apply(new LogOperation.TierCollected(List.of(first)));
        assertThat(state.garbage(state.sequence())).isEmpty();
    }

    @Test
    void intentsOfEarlierTermsAreGarbage() {
        long abandoned = state.nextObject();
        state.apply(new LogOperation.TierIntent(abandoned));
        assertThat(state.garbage(state.sequence())).isEmpty();
        state.beginTerm(4);
        assertThat(state.garbage(state.sequence())).containsExactly(abandoned);
        assertThat(state.nextObject()).isGreaterThan(abandoned);
    }

    @Test
    void whatIsReferencedIsNotCollected() {
        long object = commit(0, 400);
        assertThatThrownBy(() -> state.apply(new LogOperation.TierCollected(List.of(object))))
                .isInstanceOf(BrokenInvariant.class);
    }

    @Test
    void rangesOfDeletedSegmentsAreDropped() {
        long object = state.nextObject();
        state.apply(new LogOperation.TierIntent(object));
        state.apply(state.decideDelete(1));
        state.apply(new LogOperation.TierCommit(object, List.of(new TierRange(1, 0, 400, object, 0, 0))));
        assertThat(state.garbage(state.sequence())).containsExactly(object);
    }

    @Test
    void aMergeTakesThePlaceOfWholeNeighbours() {
        long first = commit(0, 100);
        long second = commit(100, 200);
        long third = commit(300, 400);
        long merged = merge(100, 600);
        assertThat(segment(1).manifest()).extracting(TierRange::object).containsExactly(first, merged);
        segment(1).check();
        assertThat(segment(1).tieredLength()).isEqualTo(700);
        assertThat(state.generation(merged)).isEqualTo(1);
        assertThat(state.garbage(state.sequence() - 1)).as("not durable yet").isEmpty();
        assertThat(state.garbage(state.sequence())).containsExactly(second, third);
        assertThat(state.generation(merge(0, 700))).isEqualTo(2);
        assertThat(segment(1).manifest()).hasSize(1);
    }

    @Test
    void aMergeOfPartsOfRangesBreaks() {
        commit(0, 100);
        commit(100, 200);
        assertThatThrownBy(() -> merge(0, 150)).isInstanceOf(BrokenInvariant.class);
        assertThatThrownBy(() -> merge(50, 250)).isInstanceOf(BrokenInvariant.class);
        assertThatThrownBy(() -> merge(300, 100)).isInstanceOf(BrokenInvariant.class);
    }

    @Test
    void aMergeOvertakenByTruncationKeepsWhatIsLeft() {
        commit(0, 100);
        commit(100, 200);
        commit(300, 400);
        state.apply(new LogOperation.Truncate(1, 150));
        long merged = merge(0, 300);
        assertThat(segment(1).manifest()).hasSize(2);
        assertThat(segment(1).rangeAt(150)).extracting(TierRange::object).isEqualTo(merged);
        segment(1).check();
        state.apply(new LogOperation.Truncate(1, 400));
        long late = merge(0, 300);
        assertThat(segment(1).manifest()).hasSize(1);
        assertThat(state.garbage(state.sequence())).contains(late);
    }

    @Test
    void aCheckpointOfTheVersionBeforeIsRead() throws Exception {
        commit(0, 400);
        ByteBuf bytes = encoded(state).setByte(0, 1);
        ContainerState restored = CheckpointCodec.decode(bytes, (segment, snapshot) -> {});
        assertThat(restored.segments()).containsExactly(1);
    }

    @Test
    void aCheckpointGivesTheSameStateAndBytes() throws Exception {
        commit(0, 200);
        commit(200, 200);
        merge(0, 400);
        state.apply(state.decideCreate(9, (byte) 2, Unpooled.EMPTY_BUFFER));
        append(9, 77);
        state.apply(Objects.requireNonNull(state.decideSeal(9)));
        state.apply(new LogOperation.TierIntent(state.nextObject()));
        ByteBuf bytes = encoded(state);
        ContainerState restored = CheckpointCodec.decode(
                bytes.duplicate(),
                (segment, snapshot) -> assertThat(snapshot.readLong()).isEqualTo(segment.segment()));
        assertThat(ByteBufUtil.hexDump(encoded(restored))).isEqualTo(ByteBufUtil.hexDump(bytes));
        assertThat(restored.sequence()).isEqualTo(state.sequence());
        assertThat(CheckpointCodec.sequence(bytes)).isEqualTo(state.sequence());
        assertThat(CheckpointCodec.term(bytes)).isEqualTo(3);
    }

    @Test
    void aSpoiltCheckpointIsCorruptionAndNothingElse() {
        commit(0, 400);
        Random random = new Random(5);
        for (int round = 0; round < 3000; round++) {
            ByteBuf bytes = encoded(state);
            if (round % 3 == 0) {
                bytes.writerIndex(random.nextInt(bytes.writerIndex()));
            } else {
                int at = random.nextInt(bytes.writerIndex());
                bytes.setByte(at, bytes.getByte(at) ^ (1 << random.nextInt(8)));
            }
            try {
                CheckpointCodec.decode(bytes, (segment, snapshot) -> {});
            } catch (WalException.Corrupt expected) {
                assertThat(expected.getMessage()).isNotBlank();
            }
        }
    }

    private static ByteBuf encoded(ContainerState state) {
        ByteBuf out = Unpooled.buffer();
        CheckpointCodec.encode(state, (segment, into) -> into.writeLong(segment), out);
        return out;
    }

    private void append(long segment, int bytes) {
        state.apply(state.decideAppend(segment, data(bytes)));
    }

    private long commit(long position, int length) {
        long object = state.nextObject();
        state.apply(new LogOperation.TierIntent(object));
        state.apply(new LogOperation.TierCommit(object, List.of(new TierRange(1, position, length, object, 0, 0))));
        return object;
    }

    private long merge(long position, int length) {
        long object = state.nextObject();
        state.apply(new LogOperation.TierIntent(object));
        state.apply(new LogOperation.TierMerge(object, List.of(new TierRange(1, position, length, object, 0, 0))));
        return object;
    }

    private static ByteBuf data(int bytes) {
        return Unpooled.wrappedBuffer(new byte[bytes]);
    }

    private SegmentState segment(long segment) {
        return Objects.requireNonNull(state.segment(segment));
    }
}
