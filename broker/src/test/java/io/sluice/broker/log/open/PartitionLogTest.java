package io.sluice.broker.log.open;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sluice.broker.TestEntries;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.Answers;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionAttributes;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.PartitionLog.EpochEnd;
import io.sluice.broker.log.ProducerLimits;
import io.sluice.broker.log.SegmentKinds;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.InMemoryContainer;
import io.sluice.store.segment.InMemoryContainers;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PartitionLogTest {
    private static final long SEGMENT = 42;

    private final OpenPartitions open = new OpenPartitions();
    private final AtomicLong now = new AtomicLong(1_000_000);
    private final InMemoryContainers containers =
            InMemoryContainers.callerDriven(1, new PartitionRiderFactory(ProducerLimits.DEFAULT, open), now::get);
    private final Answers answers = new Answers();
    private PartitionLog log;

    PartitionLogTest() {
        containers.start();
        ByteBuf attributes = Unpooled.buffer();
        new PartitionAttributes("t", new UUID(1, 2), 0).write(attributes);
        container().create(SEGMENT, SegmentKinds.PARTITION, attributes, Durable.IGNORED);
        log = find();
    }

    @BeforeEach
    void smallBlocks() {
        container().blockSize(100);
    }

    @AfterEach
    void nothingIsLeftPinned() {
        assertThat(containers.lentBuffers()).isZero();
        containers.close();
    }

    private InMemoryContainer container() {
        return containers.get(0);
    }

    private PartitionLog find() {
        PartitionLog found = open.find(SEGMENT);
        if (found == null) {
            throw new IllegalStateException("the partition is not open");
        }
        return found;
    }

    private void restart() {
        containers.restart();
        log = find();
        smallBlocks();
    }

    private void append(ByteBuf entry) {
        log.append(entry, answers);
    }

    private String answer() {
        containers.drain();
        String next = answers.next();
        return next == null ? "nothing" : next;
    }

    private String read(long offset, int maxBytes) {
        log.read(offset, maxBytes, Isolation.UNCOMMITTED, answers);
        return answer();
    }

    @Test
    void acknowledgesAndShowsOnlyWhatIsDurable() {
        container().hold();
        append(TestEntries.plain(3, 10, 1));
        assertThat(log.sequencedEnd()).isEqualTo(3);
        assertThat(log.durableEnd()).isZero();
        assertThat(read(0, 1_000)).isEqualTo("at end");
        assertThat(answer()).isEqualTo("nothing");
        container().release();
        assertThat(answer()).isEqualTo("appended 0..2");
        assertThat(read(0, 1_000)).isEqualTo("entries 71 next 3");
        assertThat(read(3, 1_000)).isEqualTo("at end");
        assertThat(read(4, 1_000)).isEqualTo("out of range 0..3");
        assertThat(log.sizeBytes()).isEqualTo(71);
    }

    @Test
    void tellsTheOffsetAheadOfDurability() {
        container().hold();
        List<Long> told = new ArrayList<>();
        log.append(TestEntries.plain(3, 10, 1), answers, told::add);
        log.append(TestEntries.plain(1, 10, 1), answers, told::add);
        assertThat(told).containsExactly(0L, 3L);
        container().release();
        assertThat(answer()).isEqualTo("appended 0..2");
    }

    @Test
    void answersADuplicateOfWhatIsInFlightWhenThatIsDurable() {
        container().hold();
        append(TestEntries.kafka(5, (short) 0, 0, 2, 10, 1));
        append(TestEntries.kafka(5, (short) 0, 0, 2, 10, 1));
        assertThat(answer()).isEqualTo("nothing");
        container().release();
        assertThat(answer()).isEqualTo("appended 0..1");
        assertThat(answer()).isEqualTo("duplicate 0..1");
        append(TestEntries.kafka(5, (short) 0, 9, 2, 10, 1));
        assertThat(answer()).isEqualTo("rejected OutOfOrderSequence");
    }

    @Test
    void failsWhatIsInFlightWhenTheTermEnds() {
        container().hold();
        append(TestEntries.plain(3, 10, 1));
        log.await(0, Isolation.UNCOMMITTED, answers);
        container().stop(new StoreFailure.NotOwner(0, "fenced"));
        assertThat(answers.next()).isEqualTo("failed NotOwner");
        assertThat(answers.next()).isEqualTo("closed");
        append(TestEntries.plain(3, 10, 1));
        assertThat(answers.next()).isEqualTo("failed NotOwner");
        log.read(0, 10, Isolation.UNCOMMITTED, answers);
        assertThat(answers.next()).isEqualTo("failed NotOwner");
        log.subscriptions().create("s", 0, Map.of(), answers);
        assertThat(answers.next()).isEqualTo("failed NotOwner");
        assertThat(open.find(SEGMENT)).isNull();
    }

    @Test
    void wakesAReaderAtTheTailOnce() {
        log.await(0, Isolation.UNCOMMITTED, answers);
        PartitionLog.Waiting cancelled = log.await(0, Isolation.UNCOMMITTED, answers);
        log.await(5, Isolation.UNCOMMITTED, answers);
        cancelled.cancel();
        append(TestEntries.plain(3, 10, 1));
        assertThat(answer()).isEqualTo("more to read");
        assertThat(answer()).isEqualTo("appended 0..2");
        log.await(1, Isolation.UNCOMMITTED, answers);
        assertThat(answer()).isEqualTo("more to read");
        append(TestEntries.plain(3, 10, 1));
        assertThat(answer()).isEqualTo("more to read");
        assertThat(answer()).isEqualTo("appended 3..5");
        assertThat(answer()).isEqualTo("nothing");
    }

    private static final class Heard implements PartitionLog.Watcher {
        private int moved;
        private int closed;

        @Override
        public void moved() {
            moved++;
        }

        @Override
        public void closed(StoreFailure why) {
            closed++;
        }
    }

    @Test
    void tellsWatchersOfEveryMoveUntilTheyAreCancelledOrItCloses() {
        List<Heard> heard = List.of(new Heard(), new Heard(), new Heard());
        List<PartitionLog.Waiting> watches = heard.stream().map(log::watch).toList();
        append(TestEntries.plain(3, 10, 1));
        append(TestEntries.plain(3, 10, 1));
        containers.drain();
        assertThat(heard).allMatch(each -> each.moved > 0);
        watches.get(0).cancel();
        watches.get(0).cancel();
        int before = heard.get(0).moved;
        int others = heard.get(1).moved;
        log.retention().deleteBefore(3, Durable.IGNORED);
        assertThat(heard).extracting(each -> each.moved).containsExactly(before, others + 1, others + 1);
        container().stop(new StoreFailure.NotOwner(0, "fenced"));
        assertThat(heard).extracting(each -> each.closed).containsExactly(0, 1, 1);
        watches.forEach(PartitionLog.Waiting::cancel);
        log.watch(heard.get(0));
        assertThat(heard.get(0).closed).isEqualTo(1);
    }

    @Test
    void aRunEndsWhereTheFormatChanges() {
        append(TestEntries.plain(1, 10, 1));
        append(TestEntries.plain(1, 10, 1));
        append(TestEntries.pulsar(-1, 0, 1, 10, 1));
        append(TestEntries.plain(1, 10, 1));
        containers.drain();
        for (int i = 0; i < 4; i++) {
            answers.next();
        }
        assertThat(read(0, 10_000)).isEqualTo("entries 142 next 2");
        assertThat(read(2, 10_000)).isEqualTo("entries 79 next 3");
        assertThat(read(3, 10_000)).isEqualTo("entries 71 next 4");
    }

    @Test
    void readsAnEntryThatIsLargerThanAskedFor() {
        append(TestEntries.plain(1, 300_000, 1));
        append(TestEntries.plain(1, 300_000, 1));
        assertThat(answer()).isEqualTo("appended 0..0");
        assertThat(answer()).isEqualTo("appended 1..1");
        assertThat(read(1, 1)).isEqualTo("entries 300061 next 2");
        container().evict(SEGMENT, log.sizeBytes());
        assertThat(read(0, 1)).isEqualTo("entries 300061 next 1");
        assertThat(read(0, 700_000)).isEqualTo("entries 300061 next 1");
    }

    private long storedEnd() {
        Answer<Long> end = log.container().ask(log::findStoredEnd);
        containers.drain();
        return end.join();
    }

    @Test
    void findsUpToWhereItIsInLongTermStorage() {
        assertThat(storedEnd()).isZero();
        for (int i = 0; i < 3; i++) {
            append(TestEntries.plain(10, 100, i));
            assertThat(answer()).startsWith("appended");
        }
        assertThat(storedEnd()).isZero();
        container().evict(SEGMENT, 2 * 161 + 5);
        assertThat(storedEnd()).isEqualTo(20);
        container().evict(SEGMENT, 3 * 161);
        assertThat(storedEnd()).isEqualTo(30);
        append(TestEntries.plain(10, 100, 3));
        assertThat(answer()).startsWith("appended");
        assertThat(storedEnd()).isEqualTo(30);
        log.retention().deleteBefore(35, answers);
        assertThat(answer()).isEqualTo("durable");
        assertThat(storedEnd()).isEqualTo(35);
    }

    @Test
    void deletesUpToAnOffset() {
        for (int i = 0; i < 10; i++) {
            append(TestEntries.plain(10, 100, i));
            assertThat(answer()).startsWith("appended");
        }
        log.retention().deleteBefore(35, answers);
        assertThat(answer()).isEqualTo("durable");
        assertThat(log.startOffset()).isEqualTo(35);
        assertThat(log.sizeBytes()).isEqualTo(7 * 161);
        assertThat(read(34, 100)).isEqualTo("out of range 35..100");
        assertThat(read(35, 100)).isEqualTo("entries 161 next 40");
        restart();
        assertThat(log.startOffset()).isEqualTo(35);
        assertThat(read(35, 100)).isEqualTo("entries 161 next 40");
        log.retention().deleteBefore(100, answers);
        assertThat(answer()).isEqualTo("durable");
        assertThat(log.sizeBytes()).isZero();
        assertThat(read(100, 100)).isEqualTo("at end");
        assertThat(log.latestTimestamp().offset()).isEqualTo(-1);
        append(TestEntries.plain(1, 100, 99));
        assertThat(answer()).isEqualTo("appended 100..100");
        restart();
        assertThat(read(100, 100)).isEqualTo("entries 161 next 101");
        assertThatThrownBy(() -> log.retention().deleteBefore(102, answers))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void knowsWhereEpochsEnd() {
        append(TestEntries.plain(10, 10, 1));
        answer();
        assertThat(log.leaderEpoch()).isEqualTo(1);
        assertThat(log.endOfEpoch(1)).isEqualTo(new EpochEnd(1, 10));
        restart();
        restart();
        assertThat(log.endOfEpoch(1)).isEqualTo(new EpochEnd(1, 10));
        assertThat(log.endOfEpoch(2)).isEqualTo(new EpochEnd(1, 10));
        append(TestEntries.plain(5, 10, 1));
        answer();
        assertThat(log.endOfEpoch(1)).isEqualTo(new EpochEnd(1, 10));
        assertThat(log.endOfEpoch(2)).isEqualTo(new EpochEnd(1, 10));
        assertThat(log.endOfEpoch(3)).isEqualTo(new EpochEnd(3, 15));
        assertThat(log.endOfEpoch(4)).isEqualTo(new EpochEnd(-1, -1));
        assertThat(log.endOfEpoch(0)).isEqualTo(new EpochEnd(0, 0));
        log.retention().deleteBefore(12, Durable.IGNORED);
        containers.drain();
        assertThat(log.endOfEpoch(1)).isEqualTo(new EpochEnd(1, 12));
    }

    @Test
    void expiresProducersByTheTimeInTheLog() {
        long id = log.producers().idOf("p");
        append(TestEntries.pulsar(id, 7, 1, 10, 1));
        assertThat(answer()).isEqualTo("appended 0..0");
        assertThat(log.producers().lastSequenceId(id)).isEqualTo(7);
        appendsWhileTimePasses(ProducerLimits.DEFAULT.expiryMillis() * 3 / 4);
        assertThat(log.producers().lastSequenceId(id)).isEqualTo(7);
        appendsWhileTimePasses(ProducerLimits.DEFAULT.expiryMillis() / 2);
        assertThat(log.producers().lastSequenceId(id)).isEqualTo(-1);
        restart();
        assertThat(log.producers().lastSequenceId(id)).isEqualTo(-1);
    }

    private void appendsWhileTimePasses(long millis) {
        long step = ProducerLimits.DEFAULT.clockGrain();
        for (long passed = 0; passed < millis; passed += step) {
            now.addAndGet(step);
            containers.drain();
            append(TestEntries.plain(1, 10, 1));
            answer();
        }
    }

    @Test
    void aTimeThatIsWrongByDaysForgetsNoProducer() {
        now.addAndGet(ProducerLimits.DEFAULT.expiryMillis());
        containers.drain();
        long id = log.producers().idOf("p");
        append(TestEntries.pulsar(id, 7, 1, 10, 1));
        answer();
        for (int start = 0; start < 3; start++) {
            now.addAndGet(2 * ProducerLimits.DEFAULT.expiryMillis());
            restart();
            for (int i = 0; i < 100; i++) {
                containers.drain();
                append(TestEntries.plain(1, 10, 1));
                answer();
            }
            assertThat(log.producers().lastSequenceId(id)).isEqualTo(7);
        }
    }

    @Test
    void aLongSilenceIsFollowedAtTwiceThePaceOfTime() {
        now.addAndGet(ProducerLimits.DEFAULT.expiryMillis());
        containers.drain();
        long id = log.producers().idOf("p");
        append(TestEntries.pulsar(id, 7, 1, 10, 1));
        answer();
        now.addAndGet(2 * ProducerLimits.DEFAULT.expiryMillis());
        appendsWhileTimePasses(ProducerLimits.DEFAULT.expiryMillis() * 5 / 8);
        assertThat(log.producers().lastSequenceId(id)).isEqualTo(-1);
    }

    @Test
    void readingAnOldLogInSequenceReadsEveryByteAboutOnce() {
        for (int i = 0; i < 4_000; i++) {
            log.append(TestEntries.plain(2, 3_000, i), new Answers());
        }
        containers.drain();
        long size = log.sizeBytes();
        container().blockSize(1 << 20);
        container().evict(SEGMENT, size);
        long before = container().bytesRead();
        for (long at = 4_001; at < log.durableEnd(); ) {
            assertThat(read(at, 200_000)).startsWith("entries");
            at = answers.nextOffset();
        }
        assertThat(container().bytesRead() - before).isLessThan(size / 2 * 11 / 10);
    }

    private record Written(long base, long next, byte[] bytes, long time) {}

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void readsBackWhatAModelHolds(long seed) {
        Random random = new Random(seed);
        List<Written> model = new ArrayList<>();
        long start = 0;
        for (int i = 0; i < 1_500; i++) {
            switch (random.nextInt(12)) {
                case 0 -> container().checkpoint();
                case 1 -> container().blockSize(16 + random.nextInt(5_000));
                case 2 -> evictSome(random);
                case 3 -> {
                    if (random.nextInt(6) == 0) {
                        restart();
                    }
                }
                case 4 -> {
                    if (random.nextInt(8) == 0) {
                        start += random.nextInt((int) (log.durableEnd() - start) + 1);
                        log.retention().deleteBefore(start, answers);
                        assertThat(answer()).isEqualTo("durable");
                    }
                }
                case 5, 6 -> readSome(random, model, start);
                case 7 -> findTime(random.nextInt(100_000), model, start);
                default -> appendSome(random, model, i);
            }
        }
        readAll(model, start);
    }

    private void evictSome(Random random) {
        long from = log.bytesAfter(log.startOffset());
        container().evict(SEGMENT, (long) (random.nextDouble() * from));
    }

    private void appendSome(Random random, List<Written> model, int step) {
        int count = 1 + random.nextInt(5);
        int body = random.nextInt(10) == 0 ? random.nextInt(40_000) : 8 + random.nextInt(400);
        long time = step * 50L + random.nextInt(200);
        ByteBuf entry = random.nextInt(30) == 0
                ? TestEntries.pulsar(-1, 0, count, body, time)
                : TestEntries.plain(count, body, time);
        entry.retain();
        append(entry);
        long base = model.isEmpty() ? 0 : model.getLast().next();
        assertThat(answer()).isEqualTo("appended " + base + ".." + (base + count - 1));
        model.add(new Written(base, base + count, ByteBufUtil.getBytes(entry), time));
        entry.release();
    }

    private void readSome(Random random, List<Written> model, long start) {
        long end = log.durableEnd();
        if (start < end) {
            checkRead(start + random.nextInt((int) (end - start)), random.nextInt(20_000), model);
        }
    }

    /** Returns where the next read goes on. */
    private long checkRead(long offset, int maxBytes, List<Written> model) {
        assertThat(read(offset, maxBytes)).startsWith("entries");
        ByteBuf got = answers.lastRead();
        int at = 0;
        int i = 0;
        while (model.get(i).next() <= offset) {
            i++;
        }
        byte format = EntryHeader.format(got, 0);
        while (at < got.writerIndex()) {
            byte[] expected = model.get(i++).bytes();
            assertThat(ByteBufUtil.getBytes(got, at, expected.length)).isEqualTo(expected);
            assertThat(EntryHeader.format(got, at)).isEqualTo(format);
            at += expected.length;
        }
        assertThat(at).isEqualTo(got.writerIndex());
        assertThat(at <= maxBytes || got.writerIndex() == EntryHeader.size(got, 0))
                .isTrue();
        return model.get(i - 1).next();
    }

    private void readAll(List<Written> model, long start) {
        for (long at = start; at < log.durableEnd(); ) {
            at = checkRead(at, 10_000, model);
        }
    }

    private void findTime(long time, List<Written> model, long start) {
        log.offsetAtTime(time, answers);
        String expected = model.stream()
                .filter(w -> w.next() > start && w.time() >= time)
                .findFirst()
                .map(w -> "found " + w.base() + " at " + w.time())
                .orElse("found -1 at -1");
        assertThat(answer()).isEqualTo(expected);
    }
}
