package io.sluice.store.cluster;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.pulsar.metadata.api.GetResult;
import org.apache.pulsar.metadata.api.MetadataStoreConfig;
import org.apache.pulsar.metadata.api.MetadataStoreException;
import org.apache.pulsar.metadata.api.Notification;
import org.apache.pulsar.metadata.api.NotificationType;
import org.apache.pulsar.metadata.api.extended.CreateOption;
import org.apache.pulsar.metadata.api.extended.MetadataStoreExtended;
import org.apache.pulsar.metadata.api.extended.SessionEvent;
import org.apache.pulsar.metadata.impl.EtcdMetadataStore;
import org.apache.pulsar.metadata.impl.RocksdbMetadataStore;
import org.jspecify.annotations.Nullable;
import org.rocksdb.NativeLibraryLoader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Metadata in a store of the pulsar-metadata library, which BookKeeper's drivers use as well. Two openings of one URL in
 * one process share one store; it closes with the last of them.
 */
public final class PulsarMetadata implements Metadata {
    private static final Logger log = LoggerFactory.getLogger(PulsarMetadata.class);
    private static final String CLOSING = "/closing";
    private static final Duration LISTENERS = Duration.ofSeconds(1);

    private final MetadataStoreExtended store;
    private final Duration timeout;
    private final boolean exclusive;
    private final boolean parentsAreNodes;
    private final Watches watches = new Watches();
    private final @Nullable EtcdWatch etcd;
    private volatile boolean hasSession = true;

    private PulsarMetadata(MetadataStoreExtended store, MetadataSettings settings) {
        this.store = store;
        ZooKeeperSession.repair(store);
        this.timeout = settings.timeout();
        exclusive = settings.url().startsWith("rocksdb:");
        parentsAreNodes = settings.url().startsWith("zk:");
        store.registerListener(this::notified);
        store.registerSessionListener(this::sessionChanged);
        etcd = store instanceof EtcdMetadataStore etcdStore ? EtcdWatch.of(etcdStore) : null;
    }

    private void notified(Notification change) {
        if (change.getType() != NotificationType.ChildrenChanged) {
            watches.changed(change.getPath());
        }
    }

    private void sessionChanged(SessionEvent event) {
        if (event == SessionEvent.SessionLost) {
            hasSession = false;
        } else if (event == SessionEvent.SessionReestablished) {
            hasSession = true;
        }
        if (etcd != null && (event == SessionEvent.Reconnected || event == SessionEvent.SessionLost)) {
            // Which says that the session is established anew when it hears again. One whose lease ran out while this
            // process was paused is lost
            // with its connection whole, and the library leaves it at that.
            etcd.reopen();
        } else if (event == SessionEvent.Reconnected || event == SessionEvent.SessionReestablished) {
            watches.missed();
        }
    }

    /**
     * Opens (and creates) the store.
     *
     * @param url see {@link MetadataSettings}; the folder of {@code rocksdb:} is created
     * @param timeout how long one operation may take
     * @throws InUse another process has the RocksDB folder open; it admits one at a time
     * @throws IOException the store cannot be opened
     */
    public static PulsarMetadata open(String url, Duration timeout) throws IOException {
        return open(MetadataSettings.at(url).within(timeout));
    }

    /**
     * Opens (and creates) the store.
     *
     * @throws InUse another process has the RocksDB folder open; it admits one at a time
     * @throws IOException the store cannot be opened
     */
    public static PulsarMetadata open(MetadataSettings settings) throws IOException {
        String url = settings.url();
        MetadataStoreConfig config = MetadataStoreConfig.builder()
                .configFilePath(
                        settings.clientFile() == null
                                ? null
                                : settings.clientFile().toString())
                .metadataStoreName("sluice")
                .sessionTimeoutMillis((int) settings.session().toMillis())
                .fsyncEnable(true)
                // A batch whose connection breaks is answered late or never, by the kind of store.
                .batchingEnabled(false)
                .build();
        try {
            return new PulsarMetadata(MetadataStoreExtended.create(url, config), settings);
        } catch (IOException e) {
            // RocksDB tells a lock that is held by its text only.
            if (String.valueOf(e.getCause()).contains("lock")) {
                throw new InUse("another process uses the metadata at " + url, e);
            }
            throw new IOException("cannot open the metadata at " + url + ": " + e.getMessage(), e);
        }
    }

    /**
     * Puts RocksDB's native library into {@code folder}, which is created, and loads it from there; before the process' first
     * {@code rocksdb:} store is opened. Left to itself it is unpacked into the system's temporary folder under a new name at
     * every start, and a process that is killed leaves its 13 MB behind there. That is what happens, too, where {@code folder}
     * has no space or nothing in it may be executed.
     */
    public static void unpackRocksDb(Path folder) {
        try {
            Files.createDirectories(folder);
            NativeLibraryLoader.getInstance().loadLibrary(folder.toString());
        } catch (IOException | RuntimeException | UnsatisfiedLinkError e) {
            log.info("RocksDB cannot be loaded from {}, it is unpacked elsewhere: {}", folder, e.toString());
        }
    }

    /** For BookKeeper's metadata drivers, which then share this store. Closed by {@link #close} only. */
    public MetadataStoreExtended store() {
        return store;
    }

    /** False after the store has ended this process's session, with all that hung on it, until there is another. Any thread. */
    public boolean hasSession() {
        return hasSession;
    }

    @Override
    public boolean isExclusive() {
        return exclusive;
    }

    @Override
    public @Nullable Versioned get(String path) throws IOException {
        return record(stored(path));
    }

    @Override
    public List<@Nullable Versioned> getAll(List<String> paths) throws IOException {
        List<CompletableFuture<Optional<GetResult>>> asked = new ArrayList<>(paths.size());
        paths.forEach(path -> asked.add(ask(path)));
        List<@Nullable Versioned> found = new ArrayList<>(paths.size());
        for (int each = 0; each < paths.size(); each++) {
            found.add(record(stored(paths.get(each), asked.get(each))));
        }
        return found;
    }

    private @Nullable Versioned record(@Nullable Versioned stored) {
        return stored == null || isParentOnly(stored) ? null : stored;
    }

    private @Nullable Versioned stored(String path) throws IOException {
        return stored(path, ask(path));
    }

    /** Through the store's leader: a server of ZooKeeper that lags behind it would answer with what was there before. */
    private CompletableFuture<Optional<GetResult>> ask(String path) {
        return store.sync(path).thenCompose(synced -> store.get(path));
    }

    private @Nullable Versioned stored(String path, CompletableFuture<Optional<GetResult>> asked) throws IOException {
        Optional<GetResult> found = await(path, asked);
        return found.map(result ->
                        new Versioned(result.getValue(), result.getStat().getVersion()))
                .orElse(null);
    }

    /** ZooKeeper makes a node of every path that leads to a record. */
    private boolean isParentOnly(Versioned found) {
        return parentsAreNodes && found.value().length == 0;
    }

    @Override
    public long put(String path, byte[] value, long expectedVersion) throws IOException {
        try {
            return write(path, value, expectedVersion);
        } catch (VersionMismatch e) {
            Versioned there = parentsAreNodes && expectedVersion == ABSENT ? stored(path) : null;
            if (there == null || !isParentOnly(there)) {
                throw e;
            }
            return write(path, value, there.version());
        }
    }

    private long write(String path, byte[] value, long expectedVersion) throws IOException {
        return await(path, store.put(path, value, Optional.of(expectedVersion))).getVersion();
    }

    @Override
    public void delete(String path, long expectedVersion) throws IOException {
        try {
            if (parentsAreNodes && !children(path).isEmpty()) {
                write(path, new byte[0], expectedVersion);
            } else {
                await(path, store.delete(path, Optional.of(expectedVersion)));
            }
        } catch (Gone alreadyDeleted) {
            return;
        } catch (VersionMismatch e) {
            // etcd says so of a record that is not there, too
            if (stored(path) != null) {
                throw e;
            }
        }
    }

    /** Not through the library's cache of children, which lags behind other processes. */
    @Override
    public List<String> children(String path) throws IOException {
        return await(path, store.sync(path).thenCompose(synced -> store.getChildrenFromStore(path)));
    }

    @Override
    public Watch watch(String root, Watcher watcher) {
        return watches.add(root, watcher);
    }

    @Override
    public void close() {
        watches.clear();
        try {
            if (etcd != null) {
                etcd.close();
            }
            if (store instanceof RocksdbMetadataStore) {
                awaitListeners();
            }
            store.close();
        } catch (Exception e) {
            throw new IllegalStateException("metadata store does not close: " + e.getMessage(), e);
        }
    }

    /**
     * Returns when listeners have heard of every change so far. The RocksDB store closes under a lock that a listener needs to
     * read, and waits ten seconds for a listener that waits for it.
     */
    private void awaitListeners() throws InterruptedException, ExecutionException {
        var heard = new CompletableFuture<Void>();
        store.registerListener(change -> {
            if (change.getPath().equals(CLOSING)) {
                heard.complete(null);
            }
        });
        store.put(CLOSING, new byte[0], Optional.empty(), EnumSet.of(CreateOption.Ephemeral))
                .whenComplete((put, failure) -> {
                    if (failure != null) {
                        // the store tells no watcher of it
                        heard.complete(null);
                    }
                });
        try {
            heard.get(LISTENERS.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            log.warn("a listener of the metadata store has not come back for {}", LISTENERS);
        }
    }

    private <T> T await(String path, CompletableFuture<T> result) throws IOException {
        try {
            return result.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw failure(path, e.getCause() == null ? e : e.getCause());
        } catch (TimeoutException e) {
            throw new IOException(path + ": no answer from the metadata store within " + timeout, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException(path + ": interrupted");
        }
    }

    private static IOException failure(String path, Throwable cause) {
        return switch (cause) {
            case MetadataStoreException.BadVersionException _ ->
                new VersionMismatch(path + " was changed by somebody else");
            case MetadataStoreException.NotFoundException gone -> new Gone(path, gone);
            default -> new IOException(path + ": " + cause.getMessage(), cause);
        };
    }

    /** The store is open in another process. */
    public static final class InUse extends IOException {
        InUse(String message, Throwable cause) {
            super(message, cause);
        }
    }

    private static final class Gone extends IOException {
        Gone(String path, Throwable cause) {
            super(path + " does not exist", cause);
        }
    }
}
