package io.sluice.bookie.embedded;

import io.sluice.bookie.assembly.BookieAssembly;
import io.sluice.bookie.assembly.BookieConfigurations;
import io.sluice.bookie.assembly.BookieSettings;
import io.sluice.bookie.assembly.DataFolderException;
import io.sluice.bookie.assembly.Registrations;
import io.sluice.bookie.journal.JournalWalk;
import io.sluice.store.cluster.PulsarMetadata;
import io.sluice.store.wal.bookkeeper.BookKeeperClients;
import io.sluice.store.wal.bookkeeper.LedgerClients;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.apache.bookkeeper.net.BookieId;
import org.jspecify.annotations.Nullable;

/**
 * One bookie in this process, and a client bound to it. Both use the metadata store that is passed in, which stays open.
 *
 * <p>A kill at any time is repaired by the next start, which replays the journal.
 */
public final class EmbeddedBookie implements AutoCloseable {
    private static final String ADVICE = "restore the folder from a copy";

    private static final Duration REGISTRATION = Duration.ofSeconds(30);

    private final BookieAssembly bookie;
    private final BookKeeperClients clients;
    private final BookieLedgers ledgers;
    private final BookieProbe probe;
    private final CompletableFuture<Void> stoppedItself = new CompletableFuture<>();

    private EmbeddedBookie(BookieAssembly bookie, BookKeeperClients clients, DiskRoom room) {
        this.bookie = bookie;
        this.clients = clients;
        this.probe = new BookieProbe(bookie.server(), bookie.storage());
        this.ledgers = new BookieLedgers(
                bookie.server(),
                clients.clients().others().getLedgerManager(),
                bookie.sync(),
                room,
                () -> stoppedItself.complete(null));
    }

    /** As the other one, with a walk through the journal that is begun here. */
    public static EmbeddedBookie start(Path folder, PulsarMetadata metadata, BookieSettings settings)
            throws IOException {
        try (JournalWalk walk = walk(folder)) {
            return start(folder, walk, metadata, settings);
        }
    }

    /** Begins to look through the journal in a bookie's folder, which may not be there yet; for {@link #start}. */
    public static JournalWalk walk(Path folder) throws IOException {
        return BookieAssembly.walk(folder);
    }

    /**
     * Starts the bookie; takes writes when this returns.
     *
     * @param walk through its journal; closed by the caller
     * @param folder for journal and ledgers, created and formatted by the first start
     * @throws DataFolderException what is wrong with the folder, in one line
     * @throws IOException anything else
     */
    public static EmbeddedBookie start(Path folder, JournalWalk walk, PulsarMetadata metadata, BookieSettings settings)
            throws IOException {
        BookieAssembly bookie = BookieAssembly.start(
                folder,
                walk,
                metadata,
                settings.minFreeBytes(),
                settings.minFreeBytes(),
                ADVICE,
                maxDiskUsage -> BookieConfigurations.inProcess(folder, metadata, settings, maxDiskUsage));
        try {
            return new EmbeddedBookie(
                    bookie, clients(metadata, settings.bookieId()), new DiskRoom(folder, settings.minFreeBytes()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            bookie.close();
            throw new IOException("interrupted while the bookie starts", e);
        } catch (IOException | RuntimeException e) {
            bookie.close();
            throw e;
        }
    }

    private static BookKeeperClients clients(PulsarMetadata metadata, String bookie)
            throws IOException, InterruptedException {
        Registrations.await(metadata, bookie, REGISTRATION);
        BookKeeperClients clients = BookKeeperClients.local(metadata);
        try {
            clients.await(BookieId.parse(bookie), REGISTRATION);
            return clients;
        } catch (IOException | InterruptedException | RuntimeException e) {
            clients.close();
            throw e;
        }
    }

    /** Owned by this; closed with it. */
    public LedgerClients clients() {
        return clients.clients().with(ledgers, new BookieReads(bookie.storage()));
    }

    /**
     * Writes a small record to the bookie; blocks until it is durable. For one thread at a time.
     *
     * @return null if the bookie is well, else what is wrong, in one line: it has stopped itself, or takes no writes
     */
    public @Nullable String probe() throws InterruptedException {
        return probe.run();
    }

    /** Changes {@link BookieSettings#retainedBytes}. Any thread. */
    public void retain(long bytes) {
        bookie.storage().retain(bytes);
    }

    /** Completes when the bookie has stopped because its disk failed: it takes nothing any more, and does not come back. */
    public CompletableFuture<Void> stoppedItself() {
        return stoppedItself;
    }

    @Override
    public void close() {
        ledgers.close();
        clients.close();
        bookie.close();
    }
}
