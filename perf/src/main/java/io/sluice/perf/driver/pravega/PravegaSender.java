package io.sluice.perf.driver.pravega;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.pravega.client.stream.EventStreamWriter;
import io.sluice.perf.driver.Target;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A writer that waits when 32 MiB are not acknowledged, as the other systems' clients do; Pravega's own takes any number. */
final class PravegaSender implements Target.Sender {
    private static final Logger LOG = LoggerFactory.getLogger(PravegaSender.class);
    private static final int MOST_BYTES = 32 << 20;

    private final EventStreamWriter<byte[]> writer;
    /** A permit is a byte that may be sent. */
    private final Semaphore free = new Semaphore(MOST_BYTES);

    private volatile boolean ended;
    /** Thread that is in the writer at the moment. */
    private volatile @Nullable Thread writing;

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
        writing = Thread.currentThread();
        try {
            return key == null ? writer.writeEvent(value) : writer.writeEvent(new String(key, UTF_8), value);
        } catch (Exception e) {
            // Such as an event above the client's 8 MiB, and interrupts, which its methods do not declare.
            return CompletableFuture.failedFuture(e);
        } finally {
            writing = null;
        }
    }

    @Override
    public void flush() throws InterruptedException {
        writer.flush();
        // Its writer is through before the last futures are.
        free.acquire(MOST_BYTES);
        free.release(MOST_BYTES);
    }

    /** Lets go all that wait for a server that no longer answers. */
    void end() {
        ended = true;
        free.release(MOST_BYTES);
    }

    void close() {
        try {
            writer.close();
        } catch (Exception e) {
            LOG.warn("a writer was not closed: {}", e.toString());
        }
    }

    /** Gets a thread out of the writer that waits there for a lost server: meanwhile it cannot be closed. */
    void interrupt() {
        Thread stuck = writing;
        if (stuck != null) {
            stuck.interrupt();
        }
    }
}
