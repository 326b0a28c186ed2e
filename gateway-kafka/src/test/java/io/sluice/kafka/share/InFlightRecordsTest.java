package io.sluice.kafka.share;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.log.Isolation;
import io.sluice.kafka.share.InFlightRecords.Acquired;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.kafka.coordinator.group.ShareGroupAutoOffsetResetStrategy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InFlightRecordsTest {
    private static final int LOCK = 100;
    private static final int DELIVERIES = 3;
    private static final int LOCKS = 40;
    private static final ShareLimits LIMITS = new ShareLimits(
            LOCK, DELIVERIES, LOCKS, true, Isolation.UNCOMMITTED, ShareGroupAutoOffsetResetStrategy.EARLIEST);

    private static final byte GAP = 0;
    private static final byte ACCEPT = 1;
    private static final byte RELEASE = 2;
    private static final byte REJECT = 3;
    private static final byte RENEW = 4;

    private final SetCursor cursor = new SetCursor();
    private InFlightRecords records = new InFlightRecords(cursor);

    private List<Acquired> acquire(String member, long first, long last, long now) {
        List<Acquired> got = new ArrayList<>();
        records.acquire(first, last, member, now + LOCK, Long.MAX_VALUE / 2, got);
        return got;
    }

    private static AckBatch ack(long first, long last, byte type) {
        return new AckBatch(first, last, List.of(type));
    }

    private void acknowledge(AckBatch batch, long now) {
        records.acknowledge(batch, now, LIMITS, Durable.IGNORED);
    }

    @Test
    void aRecordIsInOneHandAtATime() {
        assertThat(acquire("a", 0, 4, 0)).containsExactly(new Acquired(0, 4, 1));
        assertThat(acquire("b", 3, 7, 0)).containsExactly(new Acquired(5, 7, 1));
        assertThat(records.has("a", ack(0, 4, ACCEPT))).isTrue();
        assertThat(records.has("b", ack(4, 5, ACCEPT))).isFalse();
        assertThat(records.isBeyond(ack(4, 7, ACCEPT))).isFalse();
        assertThat(records.isBeyond(ack(7, 8, ACCEPT))).isTrue();
        assertThat(records.next(LIMITS)).isEqualTo(8);
    }

    @Test
    void typesMayDifferFromOffsetToOffset() {
        acquire("a", 0, 4, 0);
        acknowledge(new AckBatch(0, 4, List.of(ACCEPT, RELEASE, REJECT, GAP, RELEASE)), 0);
        assertThat(cursor.ackedBelow()).isOne();
        assertThat(acquire("b", 0, 9, 0))
                .containsExactly(new Acquired(1, 1, 2), new Acquired(4, 4, 2), new Acquired(5, 9, 1));
    }

    @Test
    void whatWasReleasedAsOftenAsItMayBeDeliveredIsDone() {
        for (int delivery = 1; delivery <= DELIVERIES; delivery++) {
            assertThat(acquire("a", 0, 0, 0)).containsExactly(new Acquired(0, 0, delivery));
            acknowledge(ack(0, 0, RELEASE), 0);
        }
        assertThat(cursor.ackedBelow()).isOne();
        assertThat(records.isEmpty()).isTrue();
    }

    @Test
    void aMemberThatRenewsKeepsARecordLonger() {
        acquire("a", 0, 1, 0);
        acknowledge(ack(1, 1, RENEW), LOCK / 2);
        assertThat(records.firstEnd()).isEqualTo(LOCK);
        assertThat(records.expire(LOCK, LIMITS)).isTrue();
        assertThat(acquire("b", 0, 1, LOCK)).containsExactly(new Acquired(0, 0, 2));
        assertThat(records.expire(LOCK + LOCK / 2 - 1, LIMITS)).isFalse();
    }

    @Test
    void aStuckRecordHoldsTheGroupBack() {
        acquire("slow", 0, 0, 0);
        acquire("a", 1, LOCKS - 1, 0);
        acknowledge(ack(1, LOCKS - 1, ACCEPT), 0);
        assertThat(records.next(LIMITS)).isEqualTo(-1);
        acknowledge(ack(0, 0, ACCEPT), 0);
        assertThat(records.next(LIMITS)).isEqualTo(LOCKS);
    }

    @Test
    void whatCannotBeAcknowledgedIsGivenBackAndSaidToHaveFailed() {
        acquire("a", 0, 2, 0);
        cursor.setFull(true);
        List<StoreFailure> failures = new ArrayList<>();
        records.acknowledge(ack(0, 1, ACCEPT), 0, LIMITS, Durable.of(() -> {}, failures::add));
        assertThat(failures).hasSize(1);
        cursor.setFull(false);
        assertThat(acquire("b", 0, 2, 0)).containsExactly(new Acquired(0, 1, 2));
    }

    /** State of an offset in the model. */
    private static final class Model {
        private static final int SIZE = 200;

        private final String[] holder = new String[SIZE];
        private final long[] until = new long[SIZE];
        private final int[] count = new int[SIZE];
        private final int[] stored = new int[SIZE];
        private final boolean[] done = new boolean[SIZE];

        void giveBack(int offset) {
            holder[offset] = "";
            if (count[offset] >= DELIVERIES) {
                done[offset] = true;
            } else {
                stored[offset] = count[offset];
            }
        }

        void restart() {
            for (int i = 0; i < SIZE; i++) {
                holder[i] = "";
                count[i] = stored[i];
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void randomMembersSeeEveryRecordAsAModelSays(long seed) {
        Random random = new Random(seed);
        Model model = new Model();
        Arrays.fill(model.holder, "");
        long now = 0;
        for (int step = 0; step < 3_000; step++) {
            now += random.nextInt(5);
            String member = "m" + random.nextInt(4);
            int first = random.nextInt(Model.SIZE);
            int last = Math.min(Model.SIZE - 1, first + random.nextInt(8));
            switch (random.nextInt(20)) {
                case 0 -> {
                    records = new InFlightRecords(cursor);
                    model.restart();
                }
                case 1 -> {
                    records.release(member, LIMITS, Durable.IGNORED);
                    for (int i = 0; i < Model.SIZE; i++) {
                        if (model.holder[i].equals(member)) {
                            model.giveBack(i);
                        }
                    }
                }
                case 2 -> skip(model, first, last);
                case 3, 4, 5, 6, 7, 8 -> takeSome(model, member, first, last, now);
                default -> answer(model, member, first, last, now, random);
            }
            expire(model, now);
            check(model);
        }
    }

    private void skip(Model model, int first, int last) {
        records.skip(first, last);
        for (int i = first; i <= last; i++) {
            model.done[i] |= model.holder[i].isEmpty();
        }
    }

    private void takeSome(Model model, String member, int first, int last, long now) {
        List<Acquired> got = acquire(member, first, last, now);
        for (int i = first; i <= last; i++) {
            boolean free = !model.done[i] && model.holder[i].isEmpty();
            int offset = i;
            assertThat(got.stream().filter(each -> each.first() <= offset && offset <= each.last()))
                    .hasSize(free ? 1 : 0)
                    .allSatisfy(each -> assertThat(each.count()).isEqualTo(model.count[offset] + 1));
            if (free) {
                model.holder[i] = member;
                model.count[i]++;
                model.until[i] = now + LOCK;
            }
        }
    }

    private void answer(Model model, String member, int first, int last, long now, Random random) {
        List<Byte> types = new ArrayList<>();
        for (int i = first; i <= last; i++) {
            types.add((byte) random.nextInt(5));
        }
        AckBatch batch = new AckBatch(first, last, types);
        boolean has = true;
        for (int i = (int) Math.max(first, cursor.ackedBelow()); i <= last; i++) {
            has &= !model.done[i] && model.holder[i].equals(member);
        }
        assertThat(records.has(member, batch)).isEqualTo(has);
        if (!has) {
            return;
        }
        long below = cursor.ackedBelow();
        acknowledge(batch, now);
        for (int i = (int) Math.max(first, below); i <= last; i++) {
            switch (types.get(i - first)) {
                case RENEW -> model.until[i] = now + LOCK;
                case RELEASE -> model.giveBack(i);
                default -> {
                    model.holder[i] = "";
                    model.done[i] = true;
                }
            }
        }
    }

    private void expire(Model model, long now) {
        records.expire(now, LIMITS);
        for (int i = 0; i < Model.SIZE; i++) {
            if (!model.holder[i].isEmpty() && model.until[i] <= now) {
                model.giveBack(i);
            }
        }
    }

    private void check(Model model) {
        long held = 0;
        for (int i = 0; i < Model.SIZE; i++) {
            assertThat(cursor.isAcked(i)).as("offset %d", i).isEqualTo(model.done[i]);
            held += model.holder[i].isEmpty() ? 0 : 1;
        }
        assertThat(records.inHand()).isEqualTo(held);
    }
}
