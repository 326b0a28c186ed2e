package io.sluice.tiering.flush;

import io.sluice.store.segment.Durable;
import io.sluice.store.tier.TierRange;
import io.sluice.tiering.flush.Upload.State;
import io.sluice.tiering.format.ObjectImage;
import io.sluice.tiering.format.ObjectImage.Part;
import io.sluice.tiering.format.ObjectNames;
import io.sluice.tiering.objectstore.ObjectStoreException;
import io.sluice.tiering.task.Backoff;
import io.sluice.tiering.task.Completions.Completion;
import io.sluice.tiering.task.Surroundings;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does the uploads: intent first, then the object, again after every failure. An upload is never given up: later ranges
 * of its segments may be on their way already and must not be committed before it.
 */
public final class Uploader {
    private static final Logger log = LoggerFactory.getLogger(Uploader.class);

    private final Surroundings around;
    private final Backoff backoff;
    /** The loop's clock at its last turn. */
    private long now;

    public Uploader(Surroundings around, Backoff backoff) {
        this.around = around;
        this.backoff = backoff;
    }

    public void begin(Upload upload) {
        // if the term ends first, close() unpins
        around.host().sequenceIntent(upload.object, Durable.of(() -> start(upload)));
    }

    /** Starts the retries that are due. Returns how many. */
    public int retry(Iterable<? extends Upload> uploads, long time) {
        now = time;
        int started = 0;
        for (Upload upload : uploads) {
            if (upload.state == State.PAUSED && upload.retryAt <= time) {
                start(upload);
                started++;
            }
        }
        return started;
    }

    private void start(Upload upload) {
        if (around.completions().closed()) {
            return;
        }
        upload.state = State.RUNNING;
        List<Part> parts = upload.retainPinned();
        String name = ObjectNames.of(around.host().container(), upload.object);
        int container = around.host().container();
        around.tasks().start("upload " + name, () -> around.completions().add(put(container, name, upload, parts)));
    }

    /** On a virtual thread. Of {@code upload} it uses only what never changes. */
    private Completion put(int container, String name, Upload upload, List<Part> parts) {
        try {
            if (around.completions().closed()) {
                return failed(name, upload, "the container's term is over");
            }
            ObjectImage image = ObjectImage.build(container, upload.object, parts, around.allocator());
            try {
                around.store().put(name, image.content());
            } finally {
                image.release();
            }
            return stored(name, upload, image.ranges());
        } catch (ObjectStoreException e) {
            return failed(name, upload, e.getMessage());
        } catch (RuntimeException | Error e) {
            // Out of direct memory, or a fault in the store's client: the bytes are safe in the log, so try again.
            return failed(name, upload, e.toString());
        } finally {
            Upload.release(parts);
        }
    }

    private Completion stored(String name, Upload upload, List<TierRange> ranges) {
        return new Completion() {
            @Override
            public void retire() {
                upload.state = State.STORED;
                upload.ranges = ranges;
                upload.unpin();
                if (upload.failures > 0) {
                    log.info("Stored {} after {} failed attempts", name, upload.failures);
                }
            }

            @Override
            public void abandon() {}
        };
    }

    private Completion failed(String name, Upload upload, String why) {
        return new Completion() {
            @Override
            public void retire() {
                upload.failures++;
                upload.state = State.PAUSED;
                upload.retryAt = now + backoff.pauseMillis(upload.failures, around.random());
                if (upload.failures == 1) {
                    log.warn("Could not store {}, trying again until it is: {}", name, why);
                }
            }

            @Override
            public void abandon() {}
        };
    }
}
