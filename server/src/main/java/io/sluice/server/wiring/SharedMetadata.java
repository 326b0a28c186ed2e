package io.sluice.server.wiring;

import io.sluice.store.cluster.MetadataSettings;
import io.sluice.store.cluster.PulsarMetadata;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The metadata store of a cluster, opened within a limit. */
public final class SharedMetadata {
    private static final Logger log = LoggerFactory.getLogger(SharedMetadata.class);
    private static final Duration OPEN = Duration.ofSeconds(25);

    private SharedMetadata() {}

    /**
     * Opens it. ZooKeeper's client looks for a host that has no address without end, so there is a limit.
     *
     * @throws StartException it does not answer
     */
    public static PulsarMetadata open(MetadataSettings settings) throws StartException, InterruptedException {
        var opening = new FutureTask<>(() -> PulsarMetadata.open(settings));
        Thread.ofVirtual().name("open-metadata").start(opening);
        try {
            return opening.get(OPEN.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw unreachable(settings.url(), e);
        }
    }

    /** A certificate or a file that the store's client cannot use, for example. */
    private static String reason(Throwable why) {
        Throwable root = why;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        String text = root instanceof TimeoutException ? null : root.getMessage();
        return text == null || text.isBlank()
                ? ""
                : " (" + text.lines().findFirst().orElse("") + ")";
    }

    static StartException unreachable(String url, Exception why) {
        log.info("The metadata store at {} cannot be used", url, why);
        return new StartException("metadata.url: the metadata store at " + url
                + " does not answer: start it, or give its address" + reason(why));
    }
}
