package io.sluice.broker.scalable;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.TestEntries;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.Answers;
import io.sluice.broker.log.AppendRejection;
import io.sluice.broker.log.AppendReply;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.retention.Retention;
import io.sluice.broker.subscription.Cursor;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Producers with their own, often old, view of the topic, and a consumer that reads a segment once everything before it is
 * acknowledged. The messages of a key follow each other: the next is sent when the one before is acknowledged. What became of a
 * message in a crash its producer learns by sending it again to the same segment. Another producer writes in transactions, see
 * {@link SplitSimTransactions}. Throws an {@link AssertionError} when
 * something is lost, doubled or out of order.
 */
final class SplitSimClients {
    static final String SUBSCRIPTION = "s";
    private static final int KEYS = 8;
    private static final int PRODUCERS = 2;
    private static final int HASHES_OF_A_KEY = (KeyHashRange.MAX + 1) / KEYS;

    private final Random random;
    private final SplitSimBug bug;
    private final Supplier<ScalableTopic> topic;
    private final Function<ScalableSegment, @Nullable PartitionLog> logs;
    private final Runnable work;
    /** Told of segments that are terminated. */
    private final Consumer<ScalableSegment> refused;

    private final LateSubscriptions late;
    private final SplitSimTransactions transactions;
    private final Key[] keys = new Key[KEYS];
    private final ScalableTopic[] layouts = new ScalableTopic[PRODUCERS];
    /** Such subscriptions are not read, and what is not read stays. */
    private final boolean subscribesLate;

    private int run;

    // ---- of the consumer

    private final Map<Long, Long> positions = new HashMap<>();
    private final List<Place> unacknowledged = new ArrayList<>();
    private final Map<Long, Set<Long>> acknowledged = new HashMap<>();
    private final Set<Place> acknowledging = new HashSet<>();
    private final Map<Message, Place> places = new HashMap<>();
    private final int[] delivered = new int[KEYS];

    private record Message(int key, int n) {}

    private record Place(long segment, long offset) {}

    private static final class Key {
        /** Messages that producers were told of. */
        private int told;

        private boolean waiting;
        /** Where the next one may be already; null if it is nowhere. */
        private @Nullable ScalableSegment sentTo;
    }

    SplitSimClients(
            Random random,
            SplitSimBug bug,
            Supplier<ScalableTopic> topic,
            Function<ScalableSegment, @Nullable PartitionLog> logs,
            LateSubscriptions.Subscribing subscribing,
            Runnable work,
            Consumer<ScalableSegment> refused) {
        this.random = random;
        this.bug = bug;
        this.topic = topic;
        this.logs = logs;
        this.subscribesLate = random.nextBoolean();
        this.late = new LateSubscriptions(subscribing, logs);
        this.work = work;
        this.refused = refused;
        this.transactions =
                new SplitSimTransactions(random, KEYS, KEYS, topic, logs, new SplitSimTransactions.Routing() {
                    @Override
                    public ScalableSegment segmentOf(int key) {
                        return SplitSimClients.segmentOf(key, layouts[random.nextInt(PRODUCERS)]);
                    }

                    @Override
                    public void outdated() {
                        Arrays.setAll(layouts, p -> topic.get());
                    }
                });
        for (int k = 0; k < KEYS; k++) {
            keys[k] = new Key();
        }
        Arrays.setAll(layouts, p -> topic.get());
    }

    void some() {
        for (int events = random.nextInt(4); events > 0; events--) {
            int what = random.nextInt(100);
            if (what < 12) {
                transactions.some();
            } else if (what < 45) {
                send(random.nextInt(KEYS));
            } else if (what == 45) {
                subscribeLate(random.nextInt(KEYS));
            } else if (what < 50) {
                layouts[random.nextInt(PRODUCERS)] = topic.get();
            } else if (what < 53) {
                cutOne();
            } else if (what < 75) {
                readOne();
            } else {
                acknowledgeOne();
            }
        }
    }

    /** All that waited for an answer do not know it. */
    void crashed() {
        run++;
        transactions.crashed();
        for (Key key : keys) {
            key.waiting = false;
        }
        positions.clear();
        unacknowledged.clear();
    }

    // ---- producers

    private void send(int k) {
        Key key = keys[k];
        if (key.waiting) {
            return;
        }
        ScalableTopic layout = layouts[random.nextInt(PRODUCERS)];
        ScalableSegment to = key.sentTo != null ? key.sentTo : segmentOf(k, layout);
        PartitionLog log = logs.apply(to);
        if (log == null) {
            goneFor(k, to);
            return;
        }
        key.sentTo = to;
        key.waiting = true;
        int sender = run;
        log.append(TestEntries.pulsar(k, key.told, 1, 50, 1_000), new AppendReply() {
            @Override
            public void appended(long baseOffset, long lastOffset) {
                ScalableSegment now = topic.get().graph().find(to.id());
                if (now == null || !now.isActive()) {
                    throw new AssertionError("an append to " + to.descriptor() + " after its seal");
                }
                is();
            }

            @Override
            public void duplicate(long baseOffset, long lastOffset) {
                is();
            }

            private void is() {
                if (sender == run) {
                    key.waiting = false;
                    key.sentTo = null;
                    key.told++;
                }
            }

            @Override
            public void rejected(AppendRejection why) {
                if (!(why instanceof AppendRejection.Terminated)) {
                    throw new AssertionError("key " + k + ": " + why.message());
                }
                refused.accept(to);
                if (sender == run) {
                    key.waiting = false;
                    key.sentTo = null;
                    Arrays.setAll(layouts, p -> topic.get());
                }
            }

            @Override
            public void failed(StoreFailure why) {
                if (sender == run) {
                    key.waiting = false;
                }
            }
        });
    }

    /** The segment was spent. What became of a message there its producer cannot ask any more; here it is known. */
    private void goneFor(int k, ScalableSegment to) {
        if (topic.get().graph().find(to.id()) != null) {
            throw new AssertionError("segment " + to.descriptor() + " is shown and is not there");
        }
        if (keys[k].sentTo != null && places.containsKey(new Message(k, keys[k].told))) {
            keys[k].told++;
        }
        keys[k].sentTo = null;
        Arrays.setAll(layouts, p -> topic.get());
    }

    /** What is kept is as little as may be. */
    private void cutOne() {
        List<ScalableSegment> all = List.copyOf(topic.get().graph().all());
        ScalableSegment segment = all.get(random.nextInt(all.size()));
        PartitionLog log = logs.apply(segment);
        if (log == null) {
            throw new AssertionError("segment " + segment.descriptor() + " is shown and is not there");
        }
        long cut = new Retention(0, -1).cut(log, Long.MAX_VALUE);
        if (cut > log.startOffset()) {
            log.retention().deleteBefore(cut, Durable.IGNORED);
        }
    }

    private static ScalableSegment segmentOf(int key, ScalableTopic layout) {
        int hash = key * HASHES_OF_A_KEY + HASHES_OF_A_KEY / 3;
        List<ScalableSegment> active = layout.graph().active();
        if (layout.isClassic(active.getFirst())) {
            return active.get(key % active.size());
        }
        return active.stream()
                .filter(s -> s.range().start() <= hash && hash <= s.range().end())
                .findFirst()
                .orElseThrow();
    }

    // ---- other subscriptions

    private void subscribeLate(int k) {
        if (!subscribesLate) {
            return;
        }
        ScalableTopic layout = layouts[random.nextInt(PRODUCERS)];
        late.begin(k, segmentOf(k, layout), key -> keys[key].told + (keys[key].sentTo == null ? 0 : 1));
    }

    private LateSubscriptions.@Nullable Lies lies(int key, int n) {
        Place place = places.get(new Message(key, n));
        ScalableSegment segment = place == null ? null : topic.get().graph().find(place.segment());
        if (place != null && segment == null) {
            throw new AssertionError("message " + n + " of key " + key + " is gone unread");
        }
        return place == null || segment == null ? null : new LateSubscriptions.Lies(segment, place.offset());
    }

    // ---- the consumer

    private void readOne() {
        List<ScalableSegment> open =
                topic.get().graph().readable(bug == SplitSimBug.SUCCESSOR_READ_EARLY ? id -> true : this::isDrained);
        ScalableSegment from = open.get(random.nextInt(open.size()));
        PartitionLog log = logs.apply(from);
        if (log == null) {
            throw new AssertionError("segment " + from.descriptor() + " is not there");
        }
        Cursor cursor = cursor(from, log);
        long at = positions.computeIfAbsent(from.id(), id -> 0L);
        at = cursor.nextUnacked(passingWhatIsCut(from, at, log.startOffset()));
        if (at >= log.readableEnd(Isolation.COMMITTED)) {
            return;
        }
        ByteBuf entry = read(log, at);
        long offset = EntryHeader.baseOffset(entry, 0);
        positions.put(from.id(), offset + 1);
        Place place = new Place(from.id(), offset);
        if (SplitSimTransactions.isLeftOut(log, entry)) {
            acknowledging.add(place);
            cursor.ack(offset, offset, Durable.IGNORED);
            return;
        }
        unacknowledged.add(place);
        if (SplitSimTransactions.isOfOne(entry)) {
            transactions.delivered(entry, from.id());
            deliveredOnce(place);
            return;
        }
        deliver((int) EntryHeader.producerId(entry, 0), (int) entry.getLong(EntryHeader.SIZE), place);
    }

    /** What was cut was acknowledged; a crash may have taken the acknowledgement, and not the cut. */
    private long passingWhatIsCut(ScalableSegment from, long at, long start) {
        for (long offset = at; offset < start; offset++) {
            if (!acknowledging.contains(new Place(from.id(), offset))) {
                throw new AssertionError("offset " + offset + " of " + from.descriptor() + " was cut unread");
            }
        }
        return Math.max(at, start);
    }

    private Cursor cursor(ScalableSegment segment, PartitionLog log) {
        Cursor cursor = log.subscriptions().find(SUBSCRIPTION);
        if (cursor == null) {
            throw new AssertionError("segment " + segment.descriptor() + " lacks the subscription");
        }
        return cursor;
    }

    private ByteBuf read(PartitionLog log, long offset) {
        Answers answers = new Answers();
        log.read(offset, 1, Isolation.COMMITTED, answers);
        String answer = answers.next();
        for (int turn = 0; answer == null && turn < 1_000; turn++) {
            work.run();
            answer = answers.next();
        }
        if (answer == null || !answer.startsWith("entries")) {
            throw new AssertionError("a read at " + offset + " was answered " + answer);
        }
        return answers.lastRead();
    }

    private void deliver(int key, int n, Place place) {
        Place before = places.putIfAbsent(new Message(key, n), place);
        if (before != null && !before.equals(place)) {
            throw new AssertionError("message " + n + " of key " + key + " is at " + before + " and at " + place);
        }
        deliveredOnce(place);
        if (n > delivered[key]) {
            throw new AssertionError("key " + key + ": " + n + " is delivered before " + delivered[key]);
        }
        delivered[key] = Math.max(delivered[key], n + 1);
    }

    private void deliveredOnce(Place place) {
        if (acknowledgedIn(place.segment()).contains(place.offset())) {
            throw new AssertionError("what was acknowledged at " + place + " is delivered again");
        }
    }

    private Set<Long> acknowledgedIn(long segment) {
        return acknowledged.computeIfAbsent(segment, s -> new HashSet<>());
    }

    private void acknowledgeOne() {
        if (unacknowledged.isEmpty()) {
            return;
        }
        Place place = unacknowledged.remove(random.nextInt(unacknowledged.size()));
        ScalableSegment segment = topic.get().graph().find(place.segment());
        PartitionLog log = segment == null ? null : logs.apply(segment);
        if (segment == null || log == null) {
            throw new AssertionError("segment " + place.segment() + " is gone before it is acknowledged");
        }
        acknowledging.add(place);
        cursor(segment, log)
                .ack(
                        place.offset(),
                        place.offset(),
                        Durable.of(() -> acknowledgedIn(place.segment()).add(place.offset()), why -> {
                            // it is delivered again
                        }));
    }

    private boolean isDrained(long id) {
        ScalableSegment segment = topic.get().graph().find(id);
        PartitionLog log = segment == null ? null : logs.apply(segment);
        if (segment == null || log == null || !log.isTerminated()) {
            return false;
        }
        long end =
                bug == SplitSimBug.SUCCESSOR_READ_UNDECIDED ? log.readableEnd(Isolation.COMMITTED) : log.durableEnd();
        long start = log.startOffset();
        return end == start || cursor(segment, log).countAcked(start, end - 1) == end - start;
    }

    // ---- the end

    /** Each key gets one message more, and everything is read. */
    void finish(int turns) {
        int[] wanted = new int[KEYS];
        Arrays.setAll(wanted, k -> keys[k].told + 1);
        for (int turn = 0; turn < turns; turn++) {
            boolean done = transactions.finish() && transactions.lacking() == 0;
            for (int k = 0; k < KEYS; k++) {
                if (keys[k].told < wanted[k]) {
                    send(k);
                }
                done &= delivered[k] >= wanted[k];
            }
            if (done) {
                late.check(this::lies);
                return;
            }
            work.run();
            readOne();
            acknowledgeOne();
        }
        if (transactions.lacking() > 0) {
            throw new AssertionError(transactions.lacking() + " messages of transactions are not delivered");
        }
        for (int k = 0; k < KEYS; k++) {
            if (keys[k].told < wanted[k]) {
                throw new AssertionError("key " + k + " cannot be written");
            }
            if (delivered[k] < wanted[k]) {
                throw new AssertionError("key " + k + ": " + wanted[k] + " sent, " + delivered[k] + " delivered");
            }
        }
    }

    /** Until nothing is left that anybody is to read; false if somebody does not read. */
    boolean readAll(int turns) {
        for (int turn = 0; turn < turns && !subscribesLate; turn++) {
            readOne();
            acknowledgeOne();
            cutOne();
            work.run();
        }
        return !subscribesLate;
    }

    int lateSubscriptions() {
        return late.count();
    }

    int transactions() {
        return transactions.begun();
    }

    int messages() {
        int all = 0;
        for (Key key : keys) {
            all += key.told;
        }
        return all;
    }
}
