package io.sluice.broker.scalable;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.broker.TestEntries;
import io.sluice.broker.entry.EndMarker;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.entry.ProducerIds;
import io.sluice.broker.log.AppendRejection;
import io.sluice.broker.log.AppendReply;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.PartitionTransactions;
import io.sluice.store.segment.StoreFailure;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A producer that writes in transactions, one after the other, and their coordinator, which loses nothing: it knows a segment before the
 * first message is sent there, and repeats the outcome to each until it is answered. Each message of a key follows the one before, as
 * those of other producers do.
 */
final class SplitSimTransactions {
    private static final short EPOCH = ProducerIds.SINGLE_EPOCH;

    /** What a segment has of a transaction. */
    private enum Part {
        /** Something may have been sent there. */
        ASKED,
        /** A message is there. */
        WRITTEN,
        /** The outcome has been sent there at least once. */
        TOLD,
        ENDED
    }

    private static final class Message {
        private final Transaction transaction;
        private final int key;
        private final int number;
        private @Nullable Long segment;
        private boolean delivered;

        private Message(Transaction transaction, int key, int number) {
            this.transaction = transaction;
            this.key = key;
            this.number = number;
        }

        private boolean isCommitted() {
            return transaction.decided && transaction.commits;
        }
    }

    private static final class Transaction {
        private final long id;
        private final Map<Long, Part> parts = new HashMap<>();
        private final Map<Long, ScalableSegment> segments = new HashMap<>();
        private boolean decided;
        private boolean commits;

        private Transaction(long id) {
            this.id = id;
        }
    }

    private final Random random;
    private final int producer;
    private final int keys;
    private final Supplier<ScalableTopic> topic;
    private final Function<ScalableSegment, @Nullable PartitionLog> logs;
    private final Routing routing;
    private final Map<Integer, Message> all = new HashMap<>();

    private int run;
    private int begun;
    private @Nullable Transaction current;
    private int numbers;
    private @Nullable Message sending;
    private boolean waiting;
    /** Where the message may be already; null if it is nowhere. */
    private @Nullable ScalableSegment sentTo;

    interface Routing {
        ScalableSegment segmentOf(int key);

        /** The segment takes no more, so a newer layout is needed. */
        void outdated();
    }

    /** @param producer its id, which no other producer has */
    SplitSimTransactions(
            Random random,
            int producer,
            int keys,
            Supplier<ScalableTopic> topic,
            Function<ScalableSegment, @Nullable PartitionLog> logs,
            Routing routing) {
        this.random = random;
        this.producer = producer;
        this.keys = keys;
        this.topic = topic;
        this.logs = logs;
        this.routing = routing;
    }

    void crashed() {
        run++;
        waiting = false;
    }

    void some() {
        Transaction now = current;
        if (now == null) {
            current = new Transaction(ProducerIds.single(begun++));
        } else if (now.decided) {
            end(now);
        } else if (sending != null) {
            send(now, sending);
        } else if (random.nextInt(3) == 0) {
            decide(now);
        } else {
            sending = new Message(now, random.nextInt(keys), numbers++);
            all.put(sending.number, sending);
        }
    }

    private void decide(Transaction now) {
        now.commits = random.nextInt(3) > 0;
        now.decided = true;
    }

    /** Nothing is in a transaction any more. */
    boolean finish() {
        Transaction now = current;
        if (now == null) {
            return true;
        }
        if (now.decided || sending != null) {
            some();
        } else {
            decide(now);
        }
        return false;
    }

    private void send(Transaction now, Message message) {
        if (waiting) {
            return;
        }
        ScalableSegment to = sentTo != null ? sentTo : routing.segmentOf(message.key);
        PartitionLog log = logs.apply(to);
        if (log == null) {
            gone(now, to);
            sentTo = null;
            routing.outdated();
            return;
        }
        sentTo = to;
        waiting = true;
        now.segments.put(to.id(), to);
        now.parts.putIfAbsent(to.id(), Part.ASKED);
        PartitionTransactions transactions = log.transactions();
        if (!transactions.verified(transactions.verify(now.id, EPOCH))) {
            throw new AssertionError("an open transaction has ended in segment " + to.descriptor());
        }
        int sender = run;
        log.append(TestEntries.pulsarIn(now.id, producer, message.number, 1, 50, 1_000), new AppendReply() {
            @Override
            public void appended(long baseOffset, long lastOffset) {
                is();
            }

            @Override
            public void duplicate(long baseOffset, long lastOffset) {
                is();
            }

            private void is() {
                if (sender == run) {
                    waiting = false;
                    sentTo = null;
                    sending = null;
                    now.parts.put(to.id(), Part.WRITTEN);
                    message.segment = to.id();
                }
            }

            @Override
            public void rejected(AppendRejection why) {
                if (!(why instanceof AppendRejection.Terminated)) {
                    throw new AssertionError("transaction " + now.id + ": " + why.message());
                }
                if (sender == run) {
                    waiting = false;
                    sentTo = null;
                    routing.outdated();
                }
            }

            @Override
            public void failed(StoreFailure why) {
                if (sender == run) {
                    waiting = false;
                }
            }
        });
    }

    /** Tells one segment more of the outcome. */
    private void end(Transaction now) {
        if (waiting) {
            return;
        }
        ScalableSegment next = now.segments.values().stream()
                .filter(s -> now.parts.get(s.id()) != Part.ENDED)
                .findFirst()
                .orElse(null);
        if (next == null) {
            current = null;
            return;
        }
        PartitionLog log = logs.apply(next);
        if (log == null) {
            gone(now, next);
            now.parts.put(next.id(), Part.ENDED);
            return;
        }
        if (now.parts.get(next.id()) == Part.WRITTEN) {
            now.parts.put(next.id(), Part.TOLD);
        }
        waiting = true;
        int sender = run;
        ByteBuf marker = EndMarker.entry(UnpooledByteBufAllocator.DEFAULT, now.id, EPOCH, 0, now.commits, 1_000);
        log.append(marker, new AppendReply() {
            @Override
            public void appended(long baseOffset, long lastOffset) {
                ended();
            }

            @Override
            public void duplicate(long baseOffset, long lastOffset) {
                ended();
            }

            private void ended() {
                if (sender == run) {
                    waiting = false;
                    now.parts.put(next.id(), Part.ENDED);
                }
            }

            @Override
            public void rejected(AppendRejection why) {
                throw new AssertionError(
                        "the end of transaction " + now.id + " in segment " + next.descriptor() + ": " + why.message());
            }

            @Override
            public void failed(StoreFailure why) {
                if (sender == run) {
                    waiting = false;
                }
            }
        });
    }

    /** A segment may go when nothing of a transaction is there, or when it has ended there. */
    private void gone(Transaction now, ScalableSegment segment) {
        if (topic.get().graph().find(segment.id()) != null) {
            throw new AssertionError("segment " + segment.descriptor() + " is shown and is not there");
        }
        if (now.parts.get(segment.id()) == Part.WRITTEN) {
            throw new AssertionError(
                    "segment " + segment.descriptor() + " is gone with messages of an open transaction");
        }
    }

    // ---- for the consumer

    static boolean isOfOne(ByteBuf entry) {
        return EntryHeader.isTransactional(entry, 0) || EntryHeader.isControl(entry, 0);
    }

    /** Whether nobody gets it: an outcome, or a message of a transaction that was aborted. */
    static boolean isLeftOut(PartitionLog log, ByteBuf entry) {
        if (EntryHeader.isControl(entry, 0)) {
            return true;
        }
        long offset = EntryHeader.baseOffset(entry, 0);
        long id = EntryHeader.transactionProducerId(entry, 0);
        return log.transactions().abortedIn(offset, offset + 1).stream()
                .anyMatch(aborted -> aborted.producerId() == id);
    }

    void delivered(ByteBuf entry, long segment) {
        int number = (int) entry.getLong(EntryHeader.SIZE);
        Message message = all.get(number);
        if (message == null || !message.isCommitted()) {
            throw new AssertionError("message " + number + " is delivered, and its transaction is not committed");
        }
        if (message.segment == null || message.segment != segment) {
            throw new AssertionError("message " + number + " is in segment " + segment + " and in " + message.segment);
        }
        if (message.delivered) {
            return;
        }
        message.delivered = true;
        for (Message before : all.values()) {
            if (before.key == message.key && before.number < number && isLacking(before)) {
                throw new AssertionError(
                        "message " + number + " of a transaction is delivered before " + before.number);
            }
        }
    }

    private static boolean isLacking(Message message) {
        return !message.delivered && message.segment != null && message.isCommitted();
    }

    /** Messages that were committed and are not delivered. */
    int lacking() {
        return (int)
                all.values().stream().filter(SplitSimTransactions::isLacking).count();
    }

    int begun() {
        return begun;
    }
}
