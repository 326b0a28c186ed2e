package io.sluice.perf.driver.pravega;

import io.pravega.client.stream.EventStreamReader;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One reader of a group, on a thread of its own. */
final class PravegaReading {
    private static final Logger LOG = LoggerFactory.getLogger(PravegaReading.class);

    /** How long an idle reader takes to see that it is to stop. */
    private static final long WAIT_MILLIS = 500;

    private final EventStreamReader<byte[]> reader;
    private final LongConsumer each;
    private final Thread thread = Thread.ofPlatform().daemon().name("consumer").unstarted(this::read);
    private volatile boolean stopping;

    PravegaReading(EventStreamReader<byte[]> reader, LongConsumer each) {
        this.reader = reader;
        this.each = each;
    }

    void start() {
        thread.start();
    }

    private void read() {
        try (reader) {
            while (!stopping) {
                // Null when there was nothing to read, and for a checkpoint of the group.
                byte[] event = reader.readNextEvent(WAIT_MILLIS).getEvent();
                if (event != null) {
                    each.accept(ByteBuffer.wrap(event).getLong());
                }
            }
        } catch (Exception e) {
            // Interrupted too, which its methods do not declare. The run fails by what was not read; this says why.
            if (!stopping) {
                LOG.warn("a reader gave up: {}", e.toString());
            }
        }
    }

    void stop() {
        stopping = true;
    }

    /** Waits for a thread that was told to stop. */
    void join(Duration atMost) throws InterruptedException {
        if (!thread.join(atMost)) {
            thread.interrupt();
        }
    }
}
