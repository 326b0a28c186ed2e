package io.sluice.store.wal.bookkeeper;

import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.HashedWheelTimer;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.sluice.store.cluster.PulsarMetadata;
import java.io.IOException;
import java.time.Duration;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.client.BookKeeper;
import org.apache.bookkeeper.net.BookieId;
import org.apache.bookkeeper.proto.BookieAddressResolver;
import org.apache.pulsar.metadata.bookkeeper.PulsarMetadataClientDriver;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * BookKeeper's clients. To bookies of other processes one appends and reads over version 2 of the wire protocol, which takes a frame as
 * it is and gives many at once, and one does the rest over version 3, which wraps frames in protobuf and so copies them twice more. Version 2 is not for
 * reading from a bookie in this process: that of 4.17 garbles answers of 16 KiB and more.
 */
public final class BookKeeperClients implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(BookKeeperClients.class);

    private static final long LOOK_MILLIS = 2;

    private static final BookKeeperSettings LOCAL = new BookKeeperSettings(
            LedgerSettings.STANDALONE,
            BookKeeperSettings.Placement.ANY,
            "",
            Duration.ofSeconds(30),
            Duration.ofSeconds(5),
            null);

    /** Theirs would leak when a client trips over its own close. */
    private final HashedWheelTimer timer = new HashedWheelTimer(new DefaultThreadFactory("bookkeeper-timer", true));

    private final LedgerClients clients;

    /**
     * For bookies of other processes.
     *
     * @throws IOException the metadata store cannot be used, or the thread was interrupted
     */
    public static BookKeeperClients remote(PulsarMetadata metadata, BookKeeperSettings settings) throws IOException {
        return new BookKeeperClients(metadata, settings, true);
    }

    /** For a bookie in this process, which is not appended to by way of a client. */
    public static BookKeeperClients local(PulsarMetadata metadata) throws IOException {
        return new BookKeeperClients(metadata, LOCAL, false);
    }

    private BookKeeperClients(PulsarMetadata metadata, BookKeeperSettings settings, boolean version2)
            throws IOException {
        BookKeeper others = null;
        try {
            // Loading the class registers it for the URI's scheme.
            Class.forName(PulsarMetadataClientDriver.class.getName());
            others = client(metadata, settings, false);
            clients = LedgerClients.remote(version2 ? client(metadata, settings, true) : others, others);
        } catch (IOException | BKException | ClassNotFoundException | InterruptedException e) {
            if (others != null) {
                close(others);
            }
            timer.stop();
            throw new IOException("BookKeeper's client does not start: " + e.getMessage(), e);
        }
    }

    private BookKeeper client(PulsarMetadata metadata, BookKeeperSettings settings, boolean version2)
            throws BKException, IOException, InterruptedException {
        return BookKeeper.forConfig(ClientConfigurations.of(metadata, settings, version2))
                .allocator(PooledByteBufAllocator.DEFAULT)
                .requestTimer(timer)
                .build();
    }

    public LedgerClients clients() {
        return clients;
    }

    /**
     * Waits until the clients know where a bookie is that has registered: they hear of it a moment later, and until then whatever wants to
     * read from it fails.
     *
     * @throws IOException they do not know it after {@code atMost}
     */
    public void await(BookieId bookie, Duration atMost) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + atMost.toNanos();
        while (!isKnown(bookie)) {
            if (System.nanoTime() > deadline) {
                throw new IOException("bookie " + bookie + " is not found in the metadata store");
            }
            Thread.sleep(LOOK_MILLIS);
        }
    }

    private boolean isKnown(BookieId bookie) {
        try {
            clients.others().getBookieAddressResolver().resolve(bookie);
            return true;
        } catch (BookieAddressResolver.BookieIdNotResolvedException notYet) {
            return false;
        }
    }

    @Override
    public void close() {
        close(clients.creating());
        if (clients.others() != clients.creating()) {
            close(clients.others());
        }
        timer.stop();
    }

    private static void close(BookKeeper client) {
        try {
            client.close();
        } catch (BKException | RuntimeException e) {
            // BookKeeper's client may trip over a write that is answered while it closes. All that is open is this
            // process's, which the bookie outlives by a moment.
            log.warn("A client of the bookie did not close cleanly: {}", e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
