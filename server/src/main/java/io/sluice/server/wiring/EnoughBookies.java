package io.sluice.server.wiring;

import io.sluice.server.config.ServerConfig;
import io.sluice.store.cluster.Metadata;
import io.sluice.store.wal.bookkeeper.ReachableBookies;
import io.sluice.store.wal.bookkeeper.RegisteredBookie;
import io.sluice.store.wal.bookkeeper.RegisteredBookie.State;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bookies that a node needs before it opens a log: as many as have to acknowledge a write, which take writes and connections. With fewer no
 * log could be opened, which would be tried again without end. With fewer than the ensemble new pieces of the log have fewer copies.
 */
final class EnoughBookies {
    private static final Logger log = LoggerFactory.getLogger(EnoughBookies.class);
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(500);

    private final Metadata metadata;
    private final int acks;
    private final String url;

    EnoughBookies(Metadata metadata, ServerConfig config) {
        this.metadata = metadata;
        acks = config.bookkeeper().ackQuorum();
        url = config.metadata().url();
    }

    /** @throws StartException there are too few, in one line; within seconds */
    void check() throws StartException {
        String lack = lack(found());
        if (!lack.isEmpty()) {
            throw new StartException(
                    lack + ": start more, or set bookkeeper.ensemble, writeQuorum and ackQuorum to fewer");
        }
    }

    /**
     * Waits without end until there are enough, and says what is missing whenever that changes.
     *
     * @param own completes when the bookie in this process is gone
     * @throws StartException the metadata store does not answer, or the own bookie is gone
     */
    void await(CompletableFuture<Void> own) throws StartException, InterruptedException {
        String told = "";
        for (String lack = lack(found()); !lack.isEmpty(); lack = lack(found())) {
            if (!lack.equals(told)) {
                log.warn("{}: this node waits for more", lack);
                told = lack;
            }
            if (own.isDone()) {
                throw new StartException(
                        "the bookie in this process has stopped, because its disk failed; the log says how");
            }
            Thread.sleep(BETWEEN_LOOKS);
        }
    }

    private Found found() throws StartException {
        try {
            List<RegisteredBookie> writable = RegisteredBookie.read(metadata).stream()
                    .filter(each -> each.state() == State.WRITABLE)
                    .toList();
            // A few of many may be gone: the client finds others.
            Map<String, String> failures = ReachableBookies.failures(writable);
            return new Found(writable.size(), failures);
        } catch (IOException e) {
            throw SharedMetadata.unreachable(url, e);
        }
    }

    /**
     * A look at the bookies.
     *
     * @param writable number of those that have registered as such
     * @param unreachable reasons of those among them that cannot be connected to, by id
     */
    record Found(int writable, Map<String, String> unreachable) {}

    private String lack(Found found) {
        return lack(found, acks, url);
    }

    /** Empty if there are enough. Pure. */
    static String lack(Found found, int acks, String url) {
        if (found.writable() - found.unreachable().size() >= acks) {
            return "";
        }
        return "bookkeeper.ackQuorum is " + acks + ", but "
                + (found.writable() == 1
                        ? "1 bookie that takes writes has"
                        : found.writable() + " bookies that take writes have")
                + " registered at " + url + unreachable(found);
    }

    private static String unreachable(Found found) {
        int count = found.unreachable().size();
        if (count == 0) {
            return "";
        }
        String first =
                found.unreachable().values().stream().sorted().findFirst().orElseThrow();
        return ", and " + (count == 1 ? "1 of them cannot" : count + " of them cannot") + " be reached (" + first + ")";
    }
}
