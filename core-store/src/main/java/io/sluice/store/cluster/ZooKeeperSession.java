package io.sluice.store.cluster;

import java.lang.reflect.Field;
import java.util.List;
import java.util.Set;
import org.apache.pulsar.metadata.api.extended.MetadataStoreExtended;
import org.apache.pulsar.metadata.impl.DualMetadataStore;
import org.apache.pulsar.metadata.impl.PulsarZooKeeperClient;
import org.apache.pulsar.metadata.impl.ZKMetadataStore;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;

/**
 * Keeps a ZooKeeper store able to make its session anew.
 *
 * <pre>
 *   watch cannot be made on a new session ─► client closes its connection, which is alive, and opens another
 *          ▲                                        │ says "closed"
 *          └── store takes that for "connected" ◄───┘
 * </pre>
 *
 * In this circle each session ends a tenth of a second after it began, for ever, and nobody hears of a change any more: the store takes every
 * event that is not "disconnected" or "expired" for a session that is well, the end of the connection that its own client closes included. So
 * these ends are kept from it. The session after them tells it when it is connected.
 *
 * <p>Nor does the store make its watch on a new session if it takes the one before it for alive. That may be so when a watch fails: its look at the
 * connection, a moment earlier, finds the session well, and what it notes overwrites that the session is lost. So each new session begins with
 * the end of the one before it.
 *
 * <p>The library offers no way in, so this uses its private members; the contract suite of the port shows when they change.
 */
final class ZooKeeperSession {
    private ZooKeeperSession() {}

    /** To be called once, before the store is used; does nothing with a store of another kind. */
    static void repair(MetadataStoreExtended store) {
        MetadataStoreExtended inner = store instanceof DualMetadataStore dual ? dual.getSourceStore() : store;
        if (inner instanceof ZKMetadataStore zooKeeper
                && zooKeeper.getZkClient() instanceof PulsarZooKeeperClient client) {
            repair(client);
        }
    }

    private static void repair(PulsarZooKeeperClient client) {
        Object events = read("watcherManager", client);
        @SuppressWarnings("unchecked") // as it is declared
        Set<Watcher> told = (Set<Watcher>) read("childWatchers", events);
        for (Watcher each : List.copyOf(told)) {
            if (each != client) {
                told.remove(each);
                told.add(new Repaired(client, each));
            }
        }
    }

    /** Passes events on that the store is right about. */
    private static final class Repaired implements Watcher {
        private final PulsarZooKeeperClient client;
        private final Watcher store;
        private long session;

        Repaired(PulsarZooKeeperClient client, Watcher store) {
            this.client = client;
            this.store = store;
            this.session = client.getSessionId();
        }

        @Override
        public synchronized void process(WatchedEvent event) {
            if (event.getState() == KeeperState.Closed) {
                return;
            }
            long now = client.getSessionId();
            if (event.getState() == KeeperState.SyncConnected && now != session) {
                session = now;
                store.process(new WatchedEvent(EventType.None, KeeperState.Expired, null));
            }
            store.process(event);
        }
    }

    private static Object read(String name, Object of) {
        try {
            Field field = of.getClass().getDeclaredField(name);
            field.setAccessible(true);
            return field.get(of);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("another version of the metadata library", e);
        }
    }
}
