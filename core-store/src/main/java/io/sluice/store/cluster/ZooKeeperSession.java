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
                told.add(event -> passOn(event, each));
            }
        }
    }

    private static void passOn(WatchedEvent event, Watcher to) {
        if (event.getState() != KeeperState.Closed) {
            to.process(event);
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
