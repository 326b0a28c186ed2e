package io.sluice.conformance;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/** Reads what is committed in a topic from its beginning, through crashes of the server, which must not take anything back. */
abstract class CommittedReader {
    final String topic;
    /** Takes key and value of each message. */
    final BiConsumer<String, String> each;

    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private volatile boolean stop;

    /** @param each key and value, on a thread of the reader's own */
    CommittedReader(String topic, BiConsumer<String, String> each) {
        this.topic = topic;
        this.each = each;
    }

    final void start() {
        Thread.ofPlatform().daemon().name("reads " + topic).start(() -> {
            try {
                readOn();
                done.complete(null);
            } catch (Throwable e) {
                done.completeExceptionally(e);
            }
        });
    }

    /** Reads until it {@link #isStopped}. */
    abstract void readOn() throws Exception;

    /** All that is there by now, in this thread. */
    abstract void readToTheEnd() throws Exception;

    final boolean isStopped() {
        return stop;
    }

    /** Fails if the client gave up. */
    final void check() {
        if (done.isCompletedExceptionally()) {
            done.join();
        }
    }

    final void finish() throws Exception {
        stop = true;
        done.get(60, TimeUnit.SECONDS);
    }
}
