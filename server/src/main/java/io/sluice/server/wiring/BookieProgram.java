package io.sluice.server.wiring;

import io.sluice.bookie.assembly.BookieSettings;
import io.sluice.bookie.assembly.DataFolderException;
import io.sluice.bookie.cluster.ClusterBookie;
import io.sluice.bookie.cluster.ClusterBookieSettings;
import io.sluice.bookie.cluster.ClusterRecovery;
import io.sluice.server.config.BookieConfig;
import io.sluice.server.config.OwnBookie;
import io.sluice.store.cluster.PulsarMetadata;
import io.sluice.store.wal.bookkeeper.BookieTls;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A bookie of a cluster, BookKeeper's autorecovery, or both in this process. */
public final class BookieProgram implements AutoCloseable {
    private final Closing closing = new Closing();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final @Nullable ClusterBookie bookie;

    /** Parts of a bookie that may be processes of their own. */
    public enum Role {
        BOOKIE,
        AUTORECOVERY,
        BOTH
    }

    private BookieProgram(BookieConfig config, Path folder, Role role) throws StartException {
        try {
            ServerLog.show(config.log().output());
            BookieTls tls = BookieCertificates.of("tls", config.tls());
            boolean stores = role != Role.AUTORECOVERY;
            DataFolder data = closing.add(
                    DataFolder.open(folder, stores ? config.journal().minFreeBytes() : 0));
            ServerLog.into(data.root().resolve("logs"));
            PulsarMetadata metadata =
                    closing.add(SharedMetadata.open(config.metadata().settings()));
            if (stores) {
                var settings = new OwnBookie(config.address(), config.journal(), recovery(config, role));
                bookie = closing.add(ClusterBookie.start(
                        settings(
                                settings,
                                data.root().resolve("bookie"),
                                config.journal().queueBytes(),
                                tls),
                        metadata));
            } else {
                bookie = null;
                closing.add(ClusterRecovery.start(
                        metadata, Duration.ofSeconds(config.recovery().lostAfterSeconds()), tls));
            }
            if (config.http().port() != 0) {
                closing.add(new BookieHttp(config.http(), data.root(), bookie));
            }
        } catch (DataFolderException e) {
            closing.close();
            throw new StartException(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            closing.close();
            throw new StartException("the bookie does not start: " + e.getMessage() + " (see the log)");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            closing.close();
            throw new StartException("interrupted while starting");
        } catch (Throwable e) {
            closing.close();
            throw e;
        }
    }

    private static BookieConfig.Recovery recovery(BookieConfig config, Role role) {
        return new BookieConfig.Recovery(
                role == Role.BOTH && config.recovery().enabled(),
                config.recovery().lostAfterSeconds());
    }

    /**
     * Starts it; a bookie takes writes when this returns.
     *
     * @param folder for its journal, and its log file
     */
    public static BookieProgram start(BookieConfig config, Path folder, Role role) throws StartException {
        return new BookieProgram(config, folder, role);
    }

    /**
     * @param mostQueued appends that may wait for the journal, in bytes, whatever the settings say
     * @param tls null for none
     */
    static ClusterBookieSettings settings(OwnBookie config, Path folder, long mostQueued, @Nullable BookieTls tls) {
        BookieConfig.Journal journal = config.journal();
        BookieConfig.Address address = config.address();
        return new ClusterBookieSettings(
                folder,
                new BookieSettings(
                        address.bookieId(),
                        journal.fileBytes(),
                        journal.retainedBytes(),
                        Math.min(journal.queueBytes(), mostQueued),
                        journal.minFreeBytes(),
                        Duration.ofMillis(journal.collectMillis())),
                new ClusterBookieSettings.Address(address.host(), address.port(), address.listenInterface()),
                tls,
                config.recovery().enabled(),
                Duration.ofSeconds(config.recovery().lostAfterSeconds()));
    }

    /**
     * Waits until it is closed.
     *
     * @throws StartException it has stopped itself
     */
    public void awaitClosed() throws StartException {
        CompletableFuture.anyOf(closed, bookie == null ? new CompletableFuture<>() : bookie.stoppedItself())
                .join();
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
