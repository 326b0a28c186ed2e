package io.sluice.conformance.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A producer that numbers its records from 0 and goes on through crashes, as applications do: by its client's own retries.
 * Keeps the books; how a record is sent and read back is the client's.
 */
public final class CrashLoad {
    private final Client client;
    private final Shape shape;
    private final ConcurrentLinkedQueue<Long> acknowledged = new ConcurrentLinkedQueue<>();
    private final AtomicLong count = new AtomicLong();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final Semaphore window;
    private final Thread thread;
    private volatile boolean stop;

    /** A client of one protocol, on one partition. */
    public interface Client {
        /** Does not wait; {@code answered} is told once, null for an acknowledgement. */
        void send(byte[] record, Answer answered);

        /** Returns when all that was sent is answered; nothing is sent after it. */
        void finishSending() throws Exception;

        /** All its records, in the order in which a consumer gets them; where there are keys, those of a key. */
        List<byte[]> readBack() throws Exception;
    }

    /** Given for a record whose client ended before it had an answer: it may be there or not. */
    public static final class ClientDied extends Exception {}

    /**
     * How much is sent.
     *
     * @param keys in turn: number {@code n} has key {@code n % keys}, and only those of a key are in order
     * @param pauseNanos after each
     */
    public record Shape(int inFlight, int recordBytes, int keys, long pauseNanos) {}

    public interface Answer {
        void accept(@Nullable Throwable failure);
    }

    public CrashLoad(Client client) {
        this(client, 500, 100);
    }

    public CrashLoad(Client client, int inFlight, int recordBytes) {
        this(client, new Shape(inFlight, recordBytes, 1, 0));
    }

    public CrashLoad(Client client, Shape shape) {
        this.client = client;
        this.shape = shape;
        this.window = new Semaphore(shape.inFlight);
        this.thread = Thread.ofPlatform().daemon().name(client + "-load").unstarted(this::run);
    }

    public void start() {
        thread.start();
    }

    private void run() {
        for (long n = 0; !stop; n++) {
            window.acquireUninterruptibly();
            long number = n;
            client.send(
                    ByteBuffer.allocate(shape.recordBytes).putLong(number).array(), error -> answered(number, error));
            LockSupport.parkNanos(shape.pauseNanos);
        }
    }

    private void answered(long number, @Nullable Throwable error) {
        window.release();
        if (error == null) {
            acknowledged.add(number);
            count.incrementAndGet();
        } else if (!(error instanceof ClientDied)) {
            failure.compareAndSet(null, error);
        }
    }

    /** How many records have been acknowledged so far. Any thread. */
    public long acknowledged() {
        Throwable failed = failure.get();
        if (failed != null) {
            throw new AssertionError(this + " gave up", failed);
        }
        return count.get();
    }

    /** Stops producing; returns when every record sent is acknowledged. */
    public void finish() throws Exception {
        stop = true;
        thread.join();
        client.finishSending();
        acknowledged();
    }

    /** Numbers of all records in the partition, in the order in which a consumer gets them. */
    private List<Long> readBack() throws Exception {
        return client.readBack().stream()
                .map(record -> ByteBuffer.wrap(record).getLong())
                .toList();
    }

    /** Every acknowledged record is read back once, in order; {@code context} is for the message of a failure. */
    public void checkNothingLost(String context) throws Exception {
        List<Long> read = readBack();
        // By hand: with hundreds of thousands of numbers the library's own comparisons take minutes.
        Map<Long, Long> last = new HashMap<>();
        for (long number : read) {
            Long before = last.put(number % shape.keys, number);
            if (before != null && number <= before) {
                throw new AssertionError("%s, %s: %d comes after %d".formatted(context, this, number, before));
            }
        }
        Set<Long> missing = missing(new HashSet<>(read));
        if (!missing.isEmpty()) {
            throw new AssertionError("%s, %s: acknowledged and lost: %s".formatted(context, this, missing));
        }
    }

    /** Numbers that are acknowledged and not among these. */
    public Set<Long> missing(Set<Long> read) {
        Set<Long> missing = new TreeSet<>(acknowledged);
        missing.removeAll(read);
        return missing;
    }

    /** After each restart every producer gets at least one more acknowledgement before the next kill. */
    public static void awaitProgress(String context, List<CrashLoad> loads) {
        Map<CrashLoad, Long> before = new HashMap<>();
        loads.forEach(load -> before.put(load, load.acknowledged()));
        await(context + ": every producer goes on")
                .atMost(Duration.ofSeconds(90))
                .pollInterval(Duration.ofMillis(20))
                .untilAsserted(() -> assertThat(loads)
                        .filteredOn(load -> load.acknowledged() <= before.getOrDefault(load, 0L))
                        .as("stand still")
                        .isEmpty());
    }

    @Override
    public String toString() {
        return client.toString();
    }
}
