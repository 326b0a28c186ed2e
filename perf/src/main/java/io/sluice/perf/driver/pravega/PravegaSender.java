package io.sluice.perf.driver.pravega;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.pravega.client.stream.EventStreamWriter;
import io.sluice.perf.driver.Target;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A writer that waits when 32 MiB are not acknowledged, as the other systems' clients do; Pravega's own takes any number. */
final class PravegaSender implements Target.Sender {
    private static final int MOST_BYTES = 32 << 20;

    private final EventStreamWriter<byte[]> writer;
    /** A permit is a byte that may be sent. */
    private final Semaphore free = new Semaphore(MOST_BYTES);

    private volatile boolean ended;

    PravegaSender(EventStreamWriter<byte[]> writer) {
        this.writer = writer;
    }

    @Override
    public void send(byte @Nullable [] key, byte[] value, Runnable acknowledged, Consumer<Throwable> failed) {
        int bytes = Math.min(value.length, MOST_BYTES);
        free.acquireUninterruptibly(bytes);
        if (ended) {
            failed.accept(new IllegalStateException("the writer is closed"));
            return;
        }
        write(key, value).whenComplete((written, error) -> {
            if (error == null) {
                acknowledged.run();
            } else {
                failed.accept(error);
            }
            free.release(bytes);
        });
    }

    private CompletableFuture<Void> write(byte @Nullable [] key, byte[] value) {
        try {
            return key == null ? writer.writeEvent(value) : writer.writeEvent(new String(key, UTF_8), value);
        } catch (RuntimeException e) {
            // Such as an event above the client's 8 MiB.
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public void flush() throws InterruptedException {
        writer.flush();
        // Its writer is through before the last futures are.
        free.acquire(MOST_BYTES);
        free.release(MOST_BYTES);
    }

    /** Lets go whoever waits for a server that no longer answers. */
    void end() {
        ended = true;
        free.release(MOST_BYTES);
    }

    void close() {
        writer.close();
    }
}
