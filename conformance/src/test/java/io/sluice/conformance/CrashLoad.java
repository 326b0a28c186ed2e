package io.sluice.conformance;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A producer that numbers its records from 0 and goes on through crashes, as applications do: by its client's own retries.
 * Keeps the books; how a record is sent and read back is the client's.
 */
final class CrashLoad {
    private static final int IN_FLIGHT = 500;
    private static final int RECORD_BYTES = 100;

    private final Client client;
    private final ConcurrentLinkedQueue<Long> acknowledged = new ConcurrentLinkedQueue<>();
    private final AtomicLong count = new AtomicLong();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final Semaphore window = new Semaphore(IN_FLIGHT);
    private final Thread thread;
    private volatile boolean stop;

    /** A client of one protocol, on one partition. */
    interface Client {
        /** Does not wait; {@code answered} is told once, null for an acknowledgement. */
        void send(byte[] record, Answer answered);

        /** Returns when all that was sent is answered; nothing is sent after it. */
        void finishSending() throws Exception;

        /** All records in the partition, in the order in which a consumer gets them. */
        List<byte[]> readBack() throws Exception;
    }

    interface Answer {
        void accept(@Nullable Throwable failure);
    }

    CrashLoad(Client client) {
        this.client = client;
        this.thread = Thread.ofPlatform().daemon().name(client + "-load").unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    private void run() {
        for (long n = 0; !stop; n++) {
            window.acquireUninterruptibly();
            long number = n;
            client.send(ByteBuffer.allocate(RECORD_BYTES).putLong(number).array(), error -> answered(number, error));
        }
    }

    private void answered(long number, @Nullable Throwable error) {
        window.release();
        if (error == null) {
            acknowledged.add(number);
            count.incrementAndGet();
        } else {
            failure.compareAndSet(null, error);
        }
    }

    /** How many records have been acknowledged so far. Any thread. */
    long acknowledged() {
        Throwable failed = failure.get();
        if (failed != null) {
            throw new AssertionError(this + " gave up", failed);
        }
        return count.get();
    }

    /** Stops producing; returns when every record sent is acknowledged. */
    void finish() throws Exception {
        stop = true;
        thread.join();
        client.finishSending();
        acknowledged();
    }

    /** Numbers of the acknowledged records, in the order of the acknowledgements. */
    List<Long> acknowledgedNumbers() {
        return List.copyOf(acknowledged);
    }

    /** Numbers of all records in the partition, in the order in which a consumer gets them. */
    List<Long> readBack() throws Exception {
        return client.readBack().stream()
                .map(record -> ByteBuffer.wrap(record).getLong())
                .toList();
    }

    @Override
    public String toString() {
        return client.toString();
    }
}
