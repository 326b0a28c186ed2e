package io.sluice.broker.compaction;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.broker.AppendedOffset;
import io.sluice.broker.TestBroker;
import io.sluice.broker.compaction.SimKeyedEntries.Rec;
import io.sluice.broker.entry.EndMarker;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.Entries;
import io.sluice.broker.log.EntriesReply;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.PartitionTransactions.Aborted;
import io.sluice.broker.topic.TopicName;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** One partition with plain and transactional writers, and what has to be there. */
abstract class KeyedSim implements AutoCloseable {
    static final TopicName TOPIC = TopicName.ofDefault("t");
    private static final int KEYS = 40;
    static final int PRODUCERS = 3;
    static final int FEW_KEYS = 400;
    private static final int SECONDS = 20;

    final Random random;
    final SimKeyedEntries format;
    final TestBroker broker = TestBroker.start();
    final List<Written> model = new ArrayList<>();
    private final boolean[] open = new boolean[PRODUCERS];
    private final int tombstones;
    private @Nullable Thread compacting;
    private volatile @Nullable Throwable broken;
    long start;
    private int value;
    int compactions;

    /** A record; whether it counts is known once its transaction has ended. */
    static final class Written {
        final long offset;
        final int key;
        final int value;
        int undecidedOf;
        boolean aborted;

        Written(long offset, int key, int value, int undecidedOf) {
            this.offset = offset;
            this.key = key;
            this.value = value;
            this.undecidedOf = undecidedOf;
        }
    }

    /** @param tombstones so many records of a hundred delete their key */
    KeyedSim(long seed, CompactionSimBug bug, int tombstones, Map<String, String> settings) {
        random = new Random(seed);
        format = new SimKeyedEntries(bug);
        this.tombstones = tombstones;
        broker.catalogue().create(TOPIC, 1, true, false, settings).join();
    }

    PartitionLog log() {
        return broker.partition(TOPIC, 0);
    }

    /** Compacts once, on the calling thread; gives how often something was done. */
    abstract int compact() throws InterruptedException;

    /** The offset that may be cut off at most. */
    abstract long deletable();

    abstract void check() throws Exception;

    /** @throws AssertionError what is seen is not what it has to be */
    void run(int events) throws Exception {
        for (int i = 0; i < events; i++) {
            int what = random.nextInt(100);
            if (what < 45) {
                write();
            } else if (what < 60) {
                endTransaction();
            } else if (what < 75) {
                startCompacting();
            } else if (what < 78) {
                restart();
            } else if (what < 82) {
                deleteSome();
            } else if (what < 86) {
                broker.onLoop(log(), () -> {
                    log().container().barrier(Durable.IGNORED);
                    return true;
                });
            } else {
                check();
            }
        }
        finish();
    }

    abstract void finish() throws Exception;

    int compactions() {
        return compactions;
    }

    private void startCompacting() throws Exception {
        awaitCompaction();
        compacting = Thread.ofVirtual().start(() -> {
            try {
                compactions += compact();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (RuntimeException | Error e) {
                // the containers may have stopped under it
                broken = e instanceof AssertionError ? e : broken;
            }
        });
    }

    void awaitCompaction() throws Exception {
        Thread running = compacting;
        if (running != null) {
            running.join();
            compacting = null;
        }
        if (broken != null) {
            throw new AssertionError("a compaction failed", broken);
        }
    }

    private void write() throws Exception {
        int producer = random.nextInt(PRODUCERS + 2);
        boolean inTransaction = producer < PRODUCERS;
        List<Rec> records = new ArrayList<>();
        int count = 1 + random.nextInt(4);
        for (int i = 0; i < count; i++) {
            records.add(new Rec(i, random.nextInt(KEYS), nextValue()));
        }
        if (inTransaction && !open[producer]) {
            open[producer] = true;
            broker.onLoop(
                    log(),
                    () -> log().transactions().verified(log().transactions().verify(producer, (short) 0)));
        }
        long base = append(SimKeyedEntries.entry(inTransaction ? producer : -1, records, count));
        for (Rec rec : records) {
            model.add(new Written(base + rec.delta(), rec.key(), rec.value(), inTransaction ? producer : -1));
        }
    }

    private void endTransaction() throws Exception {
        end(random.nextInt(PRODUCERS), random.nextBoolean());
    }

    void end(int producer, boolean commit) throws Exception {
        if (!open[producer]) {
            return;
        }
        append(EndMarker.entry(UnpooledByteBufAllocator.DEFAULT, producer, (short) 0, 1, commit, 1));
        open[producer] = false;
        for (Written w : model) {
            if (w.undecidedOf == producer) {
                w.undecidedOf = -1;
                w.aborted = !commit;
            }
        }
    }

    private int nextValue() {
        value++;
        return random.nextInt(100) < tombstones ? -value : value;
    }

    private long append(ByteBuf entry) throws Exception {
        CompletableFuture<Long> done = new CompletableFuture<>();
        broker.onLoop(log(), () -> {
            log().append(entry, new AppendedOffset(done));
            return true;
        });
        return await(done);
    }

    static <T> T await(CompletableFuture<T> answer) throws InterruptedException, TimeoutException, ExecutionException {
        return answer.get(SECONDS, TimeUnit.SECONDS);
    }

    void restart() {
        broker.restart();
    }

    private void deleteSome() throws Exception {
        long end = deletable();
        if (end > start && random.nextInt(4) == 0) {
            start += random.nextLong(Math.min(end - start, 30));
            CompletableFuture<Boolean> done = new CompletableFuture<>();
            broker.onLoop(log(), () -> {
                log().retention()
                        .deleteBefore(
                                start,
                                Durable.of(
                                        () -> done.complete(true),
                                        why -> done.completeExceptionally(new AssertionError(why.message()))));
                return true;
            });
            await(done);
        }
    }

    // ---- readers

    /** A run of entries with what a reader of what is committed has to leave out of it. */
    record Read(ByteBuf entries, List<Aborted> aborted, long next) {}

    @Nullable
    Read read(long from) throws Exception {
        CompletableFuture<@Nullable Read> answer = new CompletableFuture<>();
        broker.onLoop(log(), () -> {
            PartitionLog log = log();
            log.read(from, 1 + random.nextInt(500), Isolation.COMMITTED, new EntriesReply() {
                @Override
                public void entries(Entries entries) {
                    List<Aborted> aborted = log.transactions().abortedIn(from, entries.nextOffset());
                    answer.complete(new Read(Unpooled.copiedBuffer(entries.bytes()), aborted, entries.nextOffset()));
                    entries.bytes().release();
                }

                @Override
                public void atEnd() {
                    answer.complete(null);
                }

                @Override
                public void outOfRange(long startOffset, long endOffset) {
                    answer.completeExceptionally(
                            new AssertionError(from + " is outside " + startOffset + " to " + endOffset));
                }

                @Override
                public void failed(StoreFailure why) {
                    answer.completeExceptionally(new AssertionError(why.message()));
                }
            });
            return true;
        });
        return await(answer);
    }

    void look(Read read, Map<Long, Written> byOffset, Map<Integer, Written> seen) {
        AbortedData aborted = new AbortedData(read.aborted);
        ByteBuf b = read.entries;
        for (int at = 0; at < b.writerIndex(); at += EntryHeader.size(b, at)) {
            long base = EntryHeader.baseOffset(b, at);
            long producer = EntryHeader.producerId(b, at);
            if (EndMarker.is(b, at)) {
                aborted.ended(producer, base);
            }
            boolean leftOut = EntryHeader.isTransactional(b, at) && aborted.has(producer, base);
            for (Rec rec : SimKeyedEntries.records(b, at)) {
                Written written = byOffset.get(base + rec.delta());
                if (written == null || written.key != rec.key() || written.value != rec.value()) {
                    throw new AssertionError("at " + (base + rec.delta()) + " is what was not written there");
                }
                if (!leftOut && written.aborted) {
                    throw new AssertionError("at " + written.offset + " is what was aborted");
                }
                if (!leftOut) {
                    seen.put(rec.key(), written);
                }
            }
        }
    }

    @Override
    public void close() {
        Thread running = compacting;
        if (running != null) {
            running.interrupt();
        }
        broker.close();
    }
}
