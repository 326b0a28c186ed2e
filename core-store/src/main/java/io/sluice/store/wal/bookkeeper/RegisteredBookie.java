package io.sluice.store.wal.bookkeeper;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sluice.store.cluster.Metadata;
import io.sluice.store.cluster.PulsarMetadata;
import io.sluice.store.wal.WalException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.bookkeeper.net.BookieId;
import org.apache.bookkeeper.proto.DataFormats.BookieServiceInfoFormat;
import org.apache.bookkeeper.proto.DataFormats.BookieServiceInfoFormat.Endpoint;
import org.jspecify.annotations.Nullable;

/**
 * A bookie as the metadata store knows it.
 *
 * @param host that it said others connect to; empty if it is not known
 * @param port of that host
 */
public record RegisteredBookie(String id, State state, String host, int port) {
    private static final String AVAILABLE = "/ledgers/available";
    private static final String READ_ONLY = "readonly";
    /** Where bookies leave their names for good: BookKeeper's own, and ours. */
    private static final List<String> NAMES = List.of("/ledgers/cookies", "/sluice/bookies");

    private static final String UNDER_REPLICATED = "/ledgers/underreplication/ledgers";

    /** Result of the bookie's registration. */
    public enum State {
        WRITABLE,
        READ_ONLY,
        /** It was there once, and has no registration now. */
        LOST
    }

    /**
     * All that are registered or once were, by id. Only reads.
     *
     * @throws IOException the metadata store does not answer
     */
    public static List<RegisteredBookie> read(Metadata metadata) throws IOException {
        Map<String, RegisteredBookie> found = new TreeMap<>();
        for (String parent : NAMES) {
            for (String id : metadata.children(parent)) {
                found.put(id, new RegisteredBookie(id, State.LOST, "", 0));
            }
        }
        for (String id : metadata.children(AVAILABLE + "/" + READ_ONLY)) {
            found.put(id, registered(metadata, AVAILABLE + "/" + READ_ONLY, id, State.READ_ONLY));
        }
        for (String id : metadata.children(AVAILABLE)) {
            if (!id.equals(READ_ONLY)) {
                found.put(id, registered(metadata, AVAILABLE, id, State.WRITABLE));
            }
        }
        return new ArrayList<>(found.values());
    }

    /** Outcome of {@link #forget}. */
    public enum Forgotten {
        FORGOTTEN,
        /** It is registered; nothing is changed. */
        RUNS,
        /** Ledgers have entries on it, as far as their metadata says; nothing is changed. */
        NEEDED,
        UNKNOWN
    }

    /**
     * Removes what a bookie that is lost has left of itself; a later one may have its id, with nothing of what it had. Reads the metadata of every
     * ledger; blocks.
     */
    public static Forgotten forget(PulsarMetadata metadata, String id) throws IOException {
        for (RegisteredBookie each : read(metadata)) {
            if (each.id.equals(id)) {
                return each.state == State.LOST ? forgetLost(metadata, id) : Forgotten.RUNS;
            }
        }
        return Forgotten.UNKNOWN;
    }

    private static Forgotten forgetLost(PulsarMetadata metadata, String id) throws IOException {
        try (BookKeeperClients clients = BookKeeperClients.remote(metadata, BookKeeperSettings.DEFAULT)) {
            if (new BookKeeperLedgers(clients.clients(), LedgerSettings.REPLICATED, "").countOn(BookieId.parse(id))
                    > 0) {
                return Forgotten.NEEDED;
            }
        } catch (WalException e) {
            throw new IOException(e.getMessage(), e);
        }
        for (String parent : NAMES) {
            metadata.deleteLast(parent + "/" + id);
        }
        return Forgotten.FORGOTTEN;
    }

    private static RegisteredBookie registered(Metadata metadata, String parent, String id, State state)
            throws IOException {
        String path = parent + "/" + id;
        Metadata.Versioned record = metadata.get(path);
        Endpoint endpoint = record == null ? null : endpoint(path, record.value());
        return endpoint == null
                ? byName(id, state)
                : new RegisteredBookie(id, state, endpoint.getHost(), endpoint.getPort());
    }

    private static @Nullable Endpoint endpoint(String path, byte[] record) throws IOException {
        try {
            List<Endpoint> all = BookieServiceInfoFormat.parseFrom(record).getEndpointsList();
            return all.isEmpty() ? null : all.getFirst();
        } catch (InvalidProtocolBufferException e) {
            throw new IOException(path + " is no registration of a bookie: " + e.getMessage(), e);
        }
    }

    /** Bookies of earlier releases are named by their address, and say no more. */
    private static RegisteredBookie byName(String id, State state) {
        int colon = id.lastIndexOf(':');
        try {
            return new RegisteredBookie(id, state, id.substring(0, colon), Integer.parseInt(id.substring(colon + 1)));
        } catch (NumberFormatException | StringIndexOutOfBoundsException e) {
            return new RegisteredBookie(id, state, "", 0);
        }
    }

    /**
     * Number of ledgers that BookKeeper's auditor has found to lack copies; only reads.
     *
     * @param most where counting ends
     */
    public static int underReplicatedLedgers(Metadata metadata, int most) throws IOException {
        return count(metadata, UNDER_REPLICATED, most);
    }

    /** Ledgers are the leaves of four levels of folders, which stay when they are empty. */
    private static int count(Metadata metadata, String parent, int most) throws IOException {
        int found = 0;
        for (String child : metadata.children(parent)) {
            if (found >= most) {
                break;
            }
            found += child.startsWith("urL") ? 1 : count(metadata, parent + "/" + child, most - found);
        }
        return found;
    }
}
