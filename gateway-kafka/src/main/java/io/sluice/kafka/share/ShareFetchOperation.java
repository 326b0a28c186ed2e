package io.sluice.kafka.share;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.log.Entries;
import io.sluice.broker.log.EntriesReply;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.PartitionTransactions.Aborted;
import io.sluice.conversion.EntryConversions;
import io.sluice.kafka.api.KafkaErrors;
import io.sluice.kafka.api.RequestContext;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * One fetch of a share group's member, from its acknowledgements to its answer.
 *
 * <pre>
 *  start ─► acknowledge, on each partition's loop ─────────────────────────► durable ─┐
 *    └────► round: one partition after the other, until there is enough ─► found ─────┴─► answer
 *              ▲                                                 │ nothing
 *              └── records, given back or new ◄─── parked ◄──────┘        time is up ─► answer
 * </pre>
 *
 * <p>Partitions of one container come one after the other, so that a round hops to each container once. The lock guards the state below, and
 * what is acquired: nothing is once the answer is given.
 */
final class ShareFetchOperation implements RequestContext.DeferredResponse, SharePartition.Waiter {
    /** Reads that find nothing to acquire, one after the other in one partition, before another one has its turn. */
    private static final int MOST_VAIN_READS = 64;

    private enum Phase {
        READING,
        PARKED,
        /** Reads no more; acknowledgements may be under way. */
        DUE,
        ANSWERED
    }

    private final RequestContext context;
    private final ShareGroups groups;
    private final ShareSession session;
    private final List<SharePart> parts;
    private final Supplier<ApiMessage> answer;
    private final ShareWish wish;

    private Phase phase = Phase.READING;
    private int at;
    private long recordsLeft;
    private long bytesLeft;
    private boolean acknowledging = true;
    private boolean wasParked;
    private boolean timeIsUp;

    /**
     * @param parts partitions of one container together
     * @param answer makes the message, on the connection's loop
     */
    ShareFetchOperation(
            RequestContext context,
            ShareGroups groups,
            ShareSession session,
            List<SharePart> parts,
            ShareWish wish,
            Supplier<ApiMessage> answer) {
        this.context = context;
        this.groups = groups;
        this.session = session;
        this.parts = parts;
        this.wish = wish;
        this.answer = answer;
        this.recordsLeft = wish.records();
        this.bytesLeft = wish.bytes();
        this.timeIsUp = wish.waitMillis() <= 0 || isToBeTold();
    }

    /** Whether the client has to go elsewhere, which it is to learn at once. */
    private boolean isToBeTold() {
        return parts.stream().noneMatch(SharePart::isOpen)
                || parts.stream().anyMatch(part -> part.error() == Errors.NOT_LEADER_OR_FOLLOWER);
    }

    /** On the connection's loop. */
    void start(Collection<SharePartition> released) {
        if (!timeIsUp) {
            context.deadline(wish.waitMillis(), this::expire);
        }
        context.onDisconnect(this::expire);
        context.onRightsChange(this::expire);
        new ShareAcks(session.key(), groups.partitions(), this::acknowledged).begin(parts, released);
        advance();
    }

    private void acknowledged() {
        synchronized (this) {
            acknowledging = false;
        }
        completeIfDue();
    }

    /** Goes on with the round. Any thread. */
    private void advance() {
        while (true) {
            SharePart part = nextOpen();
            PartitionLog log = part == null ? null : part.log();
            if (part == null || log == null) {
                endRound();
                return;
            }
            SegmentContainer container = log.container();
            if (!container.onLoop()) {
                container.execute(LoopTask.of(this::advance, why -> {
                    fail(part, KafkaErrors.toConsumer(why));
                    advance();
                }));
                return;
            }
            Turn turn = new Turn(part, log);
            if (!turn.take()) {
                return; // it calls again
            }
            passed(part);
        }
    }

    /** Null if the round is over. */
    private synchronized @Nullable SharePart nextOpen() {
        if (phase != Phase.READING || recordsLeft <= 0 || bytesLeft <= 0) {
            return null;
        }
        while (at < parts.size() && !parts.get(at).isOpen()) {
            at++;
        }
        return at < parts.size() ? parts.get(at) : null;
    }

    private synchronized void passed(SharePart part) {
        if (at < parts.size() && parts.get(at) == part) {
            at++;
        }
    }

    private synchronized void fail(SharePart part, Errors why) {
        if (phase != Phase.ANSWERED) {
            part.fail(why);
            timeIsUp = true;
        }
    }

    private void endRound() {
        boolean parks;
        synchronized (this) {
            if (phase != Phase.READING) {
                return;
            }
            boolean found = recordsLeft < wish.records();
            parks = !found && !timeIsUp;
            phase = parks ? Phase.PARKED : Phase.DUE;
            wasParked |= parks;
        }
        if (parks) {
            park();
        } else {
            completeIfDue();
        }
    }

    /** Waits in every partition that it reads. */
    private void park() {
        byContainer()
                .forEach((container, logs) -> container.execute(LoopTask.of(
                        () -> {
                            for (PartitionLog log : logs) {
                                SharePartition there = isParked()
                                        ? groups.partitions().find(session.key().group(), log)
                                        : null;
                                if (there != null) {
                                    there.await(session.key().member(), this);
                                }
                            }
                        },
                        why -> wake())));
    }

    private Map<SegmentContainer, List<PartitionLog>> byContainer() {
        Map<SegmentContainer, List<PartitionLog>> logs = new LinkedHashMap<>(4);
        for (SharePart part : parts) {
            PartitionLog log = part.log();
            if (log != null) {
                logs.computeIfAbsent(log.container(), _ -> new ArrayList<>(4)).add(log);
            }
        }
        return logs;
    }

    private synchronized boolean isParked() {
        return phase == Phase.PARKED;
    }

    @Override
    public int minBytes() {
        return wish.minBytes();
    }

    @Override
    public boolean wake() {
        PartitionLog any;
        synchronized (this) {
            any = parts.isEmpty()
                    ? null
                    : parts.stream()
                            .map(SharePart::log)
                            .filter(log -> log != null)
                            .findFirst()
                            .orElse(null);
            if (phase != Phase.PARKED || any == null) {
                return false;
            }
            phase = Phase.READING;
            at = 0;
        }
        // not from within the partition that wakes it
        any.container().execute(LoopTask.of(this::advance, why -> advance()));
        return true;
    }

    private void expire() {
        synchronized (this) {
            timeIsUp = true;
            if (phase != Phase.PARKED) {
                return; // the end of the round answers
            }
            phase = Phase.DUE;
        }
        completeIfDue();
    }

    private void completeIfDue() {
        synchronized (this) {
            if (phase != Phase.DUE || acknowledging) {
                return;
            }
            phase = Phase.ANSWERED;
        }
        if (wasParked) {
            byContainer().forEach((container, logs) -> container.execute(LoopTask.of(() -> logs.forEach(this::leave))));
        }
        context.complete(this);
    }

    private void leave(PartitionLog log) {
        SharePartition there = groups.partitions().find(session.key().group(), log);
        if (there != null) {
            there.leave(session.key().member(), this);
        }
    }

    @Override
    public ApiMessage make() {
        return answer.get();
    }

    @Override
    public void release() {
        parts.forEach(SharePart::release);
    }

    /** The read of one partition in a round, on its loop. */
    private final class Turn {
        private final SharePart part;
        private final PartitionLog log;
        private int vain;
        /** It has ended, before {@link #take} has returned. */
        private boolean over;

        private boolean taking = true;

        Turn(SharePart part, PartitionLog log) {
            this.part = part;
            this.log = log;
        }

        /** False if it goes on later, and {@link #advance} is called then. */
        boolean take() {
            if (log.isGone()) {
                fail(part, Errors.NOT_LEADER_OR_FOLLOWER);
                return true;
            }
            groups.partitions().open(session.key().group(), log, this::read, why -> {
                fail(part, why);
                end();
            });
            taking = false;
            return over;
        }

        private void end() {
            over = true;
            if (!taking) {
                passed(part);
                advance();
            }
        }

        private void read(SharePartition there) {
            session.touch(there);
            StoreFailure ended = there.ended();
            long from = ended == null ? there.beginRead(wish.minBytes()) : -1;
            if (ended != null) {
                fail(part, KafkaErrors.toConsumer(ended));
            }
            if (from < 0) {
                end();
            } else {
                Isolation isolation = there.limits().isolation();
                there.log().read(from, bytesFor(there.log(), from), isolation, new Reply(there, from, isolation));
            }
        }

        /** Bytes that as many records take as are wanted, about: what is read and not acquired is read again. */
        private int bytesFor(PartitionLog of, long from) {
            long ahead = Math.max(1, of.durableEnd() - from);
            long each = of.bytesAfter(from) / ahead + 1;
            synchronized (ShareFetchOperation.this) {
                long wanted = Math.max(ShareWish.LEAST_READ, each * recordsLeft * 3 / 2);
                return (int) Math.clamp(Math.min(wanted, bytesLeft), 1, ShareWish.MOST_READ);
            }
        }

        /** Answer of the log. */
        private final class Reply implements EntriesReply {
            private final SharePartition there;
            private final long from;
            private final Isolation isolation;

            Reply(SharePartition there, long from, Isolation isolation) {
                this.there = there;
                this.from = from;
                this.isolation = isolation;
            }

            @Override
            public void entries(Entries entries) {
                List<Aborted> aborted = isolation == Isolation.COMMITTED
                        ? there.log().transactions().abortedIn(from, entries.nextOffset())
                        : List.of();
                if (entries.format() == EntryFormat.KAFKA_V2) {
                    take(entries.bytes(), entries.nextOffset(), aborted);
                } else {
                    convert(entries, aborted);
                }
            }

            private void convert(Entries entries, List<Aborted> aborted) {
                SegmentContainer container = there.log().container();
                groups.convert(there.log(), entries.bytes(), bytesFor(there.log(), from), new EntryConversions.Reply() {
                    @Override
                    public void converted(ByteBuf bytes, long nextOffset) {
                        container.execute(LoopTask.of(() -> take(bytes, nextOffset, aborted), why -> {
                            bytes.release();
                            Reply.this.failed(why);
                        }));
                    }

                    @Override
                    public void failed() {
                        container.execute(LoopTask.of(() -> endWith(Errors.UNKNOWN_SERVER_ERROR), Reply.this::failed));
                    }
                });
            }

            private void take(ByteBuf batches, long next, List<Aborted> aborted) {
                boolean again = false;
                try {
                    again = acquire(batches, next, aborted);
                } finally {
                    batches.release();
                }
                there.endRead();
                if (again && ++vain < MOST_VAIN_READS) {
                    read(there);
                } else {
                    end();
                }
            }

            /** Whether nothing was acquired, and there may be more. */
            private boolean acquire(ByteBuf batches, long next, List<Aborted> aborted) {
                synchronized (ShareFetchOperation.this) {
                    if (phase != Phase.READING
                            || timeIsUp && !context.connection().isOpen()) {
                        return false;
                    }
                    ShareLimits limits = there.limits();
                    var wanted = new Acquisition.Wish(
                            session.key().member(),
                            there.log().container().now() + limits.lockMillis(),
                            recordsLeft,
                            wish.exact(),
                            limits);
                    var acquisition = new Acquisition(there.records(), wanted, aborted);
                    acquisition.take(batches, from, next);
                    if (acquisition.taken() == 0) {
                        return true;
                    }
                    ByteBuf slice = acquisition.slice(batches).retain();
                    part.found(slice, acquisition.acquired());
                    recordsLeft -= acquisition.taken();
                    bytesLeft -= slice.readableBytes();
                    return false;
                }
            }

            @Override
            public void atEnd() {
                there.endRead();
                end();
            }

            @Override
            public void outOfRange(long startOffset, long endOffset) {
                there.endRead(); // the start has moved; the next look sees it
                end();
            }

            @Override
            public void failed(StoreFailure why) {
                endWith(KafkaErrors.toConsumer(why));
            }

            private void endWith(Errors why) {
                fail(part, why);
                there.endRead();
                end();
            }
        }
    }
}
