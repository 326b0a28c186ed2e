package io.sluice.perf.load;

import io.sluice.perf.driver.Target.Sender;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * One producer's thread. Record n is due at start + n / rate whatever became of those before it; at rate 0 the client's own
 * buffer is the only brake. A new rate is a new start, and so is the end of a pause.
 */
final class Producing implements AutoCloseable {
    private static final long STOP_SECONDS = 60;
    /** Payload without an answer: 32 MiB, over every protocol. */
    static final int MOST_IN_FLIGHT = 32 << 20;

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final Sender sender;
    private final Payloads payloads;
    private final Counts counts;
    private final UnansweredPayload inFlight = new UnansweredPayload(MOST_IN_FLIGHT);
    private final Thread thread = Thread.ofPlatform().name("producer").unstarted(this::run);
    private volatile double rate;
    private volatile boolean paused;
    private volatile boolean stopping;

    Producing(Sender sender, Payloads payloads, Counts counts) {
        this.sender = sender;
        this.payloads = payloads;
        this.counts = counts;
    }

    void start() {
        thread.start();
    }

    private void run() {
        long start = System.nanoTime();
        double pace = rate;
        try {
            for (long n = 0; !stopping; n++) {
                boolean rested = rest();
                double wanted = rate;
                if (rested || wanted != pace) {
                    pace = wanted;
                    start = System.nanoTime();
                    n = 0;
                }
                long due = pace == 0 ? System.nanoTime() : start + (long) (n * 1e9 / pace);
                await(due);
                byte[] value = payloads.nextValue(due);
                inFlight.add(value.length, () -> stopping);
                send(value, due);
            }
            sender.flush();
        } catch (Exception e) {
            counts.failed(e);
        }
    }

    private void send(byte[] value, long due) {
        int bytes = value.length;
        sender.send(
                payloads.nextKey(),
                value,
                () -> {
                    inFlight.remove(bytes);
                    counts.acknowledged(due);
                },
                why -> {
                    inFlight.remove(bytes);
                    counts.failed(why);
                });
    }

    /** Whether it was paused, and has gone on. */
    private boolean rest() {
        boolean rests = paused;
        while (paused && !stopping) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        return rests;
    }

    private void await(long due) {
        for (long wait = due - System.nanoTime(); wait > 0 && !stopping; wait = due - System.nanoTime()) {
            LockSupport.parkNanos(wait);
        }
    }

    /** From the next record on: records per second, 0 for as many as possible. */
    void rate(double perSecond) {
        rate = perSecond;
    }

    /** Sends nothing until {@link #resume}; what would have been due meanwhile is due never. */
    void pause() {
        paused = true;
    }

    void resume() {
        paused = false;
        LockSupport.unpark(thread);
    }

    void stop() {
        stopping = true;
    }

    /** Returns when all that was sent is answered, or after a while. */
    @Override
    public void close() throws InterruptedException {
        stop();
        thread.join(TimeUnit.SECONDS.toMillis(STOP_SECONDS));
    }
}
