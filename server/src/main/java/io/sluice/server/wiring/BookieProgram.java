package io.sluice.server.wiring;

import io.sluice.bookie.assembly.BookieSettings;
import io.sluice.bookie.assembly.DataFolderException;
import io.sluice.bookie.cluster.ClusterBookie;
import io.sluice.bookie.cluster.ClusterBookieSettings;
import io.sluice.server.config.BookieConfig;
import io.sluice.store.cluster.PulsarMetadata;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A bookie of a cluster in this process, on one folder. */
public final class BookieProgram implements AutoCloseable {
    private final Closing closing = new Closing();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final ClusterBookie bookie;

    private BookieProgram(BookieConfig config, Path folder) throws StartException {
        try {
            ServerLog.show(config.log().output());
            DataFolder data =
                    closing.add(DataFolder.open(folder, config.journal().minFreeBytes()));
            ServerLog.into(data.root().resolve("logs"));
            PulsarMetadata metadata =
                    closing.add(PulsarMetadata.open(config.metadata().settings()));
            bookie =
                    closing.add(ClusterBookie.start(settings(config, data.root().resolve("bookie")), metadata));
        } catch (DataFolderException e) {
            closing.close();
            throw new StartException(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            closing.close();
            throw new StartException("the bookie does not start: " + e.getMessage() + " (see the log)");
        } catch (Throwable e) {
            closing.close();
            throw e;
        }
    }

    /** Starts it; it takes writes when this returns. */
    public static BookieProgram start(BookieConfig config, Path folder) throws StartException {
        return new BookieProgram(config, folder);
    }

    private static ClusterBookieSettings settings(BookieConfig config, Path folder) {
        BookieConfig.Journal journal = config.journal();
        BookieConfig.Address address = config.address();
        return new ClusterBookieSettings(
                folder,
                new BookieSettings(
                        address.bookieId(),
                        journal.fileBytes(),
                        journal.retainedBytes(),
                        journal.queueBytes(),
                        journal.minFreeBytes(),
                        Duration.ofMillis(journal.collectMillis())),
                new ClusterBookieSettings.Address(address.host(), address.port(), address.listenInterface()),
                config.recovery().enabled(),
                Duration.ofSeconds(config.recovery().lostAfterSeconds()));
    }

    /**
     * Waits until it is closed.
     *
     * @throws StartException it has stopped itself
     */
    public void awaitClosed() throws StartException {
        CompletableFuture.anyOf(closed, bookie.stoppedItself()).join();
        if (!closed.isDone()) {
            close();
            throw new StartException("the bookie has stopped, because its disk failed; the log says how");
        }
    }

    @Override
    public void close() {
        closing.close();
        closed.complete(null);
    }
}
