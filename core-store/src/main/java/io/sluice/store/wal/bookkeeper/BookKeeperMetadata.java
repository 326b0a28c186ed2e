package io.sluice.store.wal.bookkeeper;

import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.apache.pulsar.metadata.api.CacheGetResult;
import org.apache.pulsar.metadata.api.GetResult;
import org.apache.pulsar.metadata.api.MetadataCache;
import org.apache.pulsar.metadata.api.MetadataSerde;
import org.apache.pulsar.metadata.api.Notification;
import org.apache.pulsar.metadata.api.extended.MetadataStoreExtended;
import org.apache.pulsar.metadata.impl.DualMetadataStore;
import org.apache.pulsar.metadata.impl.ZKMetadataStore;
import org.jspecify.annotations.Nullable;

/**
 * A metadata store as BookKeeper uses it, which differs in three things from the store itself.
 *
 * <ul>
 *   <li>Its listeners are told of ledgers and bookies only. The client forgets where a bookie is when any path that ends in the bookie's id is
 *       deleted, that of a topic of this name among them.
 *   <li>It reads past the library's caches. Those may show bookies as they were for five minutes, when a change went untold; and after a cut
 *       from ZooKeeper they may stop the process' only thread of events for good: that asks ZooKeeper's old connection with a lock of
 *       the cache held, while the thread that gives the connection up tells the cache of its failures. The client asks when it creates a
 *       ledger, which is seldom.
 *   <li>It takes the path at the end of ZooKeeper's address off a path to be deleted: with it the library names the records that ids of
 *       ledgers are taken from, and each would stay for as long as the session.
 * </ul>
 */
final class BookKeeperMetadata {
    private static final String LEDGERS = "/ledgers/";

    private BookKeeperMetadata() {}

    static MetadataStoreExtended of(MetadataStoreExtended store) {
        String root = root(store);
        return proxy(MetadataStoreExtended.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "registerListener" -> {
                @SuppressWarnings("unchecked") // by the method's declaration
                Consumer<Notification> listener = (Consumer<Notification>) arguments[0];
                store.registerListener(event -> tell(listener, event));
                yield null;
            }
            case "getChildren" -> store.getChildrenFromStore((String) arguments[0]);
            case "delete" -> {
                arguments[0] = withoutRoot(root, (String) arguments[0]);
                yield invoke(store, method, arguments);
            }
            case "exists" -> store.get((String) arguments[0]).thenApply(Optional::isPresent);
            case "getMetadataCache" -> {
                MetadataCache<?> cache = (MetadataCache<?>) Objects.requireNonNull(invoke(store, method, arguments));
                MetadataSerde<?> serde = serde(arguments);
                yield serde == null ? cache : uncached(store, cache, serde);
            }
            default -> invoke(store, method, arguments);
        });
    }

    /** Path at the end of ZooKeeper's address; empty without one. */
    private static String root(MetadataStoreExtended store) {
        MetadataStoreExtended inner = store instanceof DualMetadataStore dual ? dual.getSourceStore() : store;
        String root = inner instanceof ZKMetadataStore zooKeeper ? zooKeeper.getRootPath() : null;
        return root == null || root.equals("/") ? "" : root;
    }

    private static String withoutRoot(String root, String path) {
        return path.startsWith(root + LEDGERS) ? path.substring(root.length()) : path;
    }

    private static void tell(Consumer<Notification> listener, Notification event) {
        if (event.getPath().startsWith(LEDGERS)) {
            listener.accept(event);
        }
    }

    private static @Nullable MetadataSerde<?> serde(Object[] arguments) {
        for (Object argument : arguments) {
            if (argument instanceof MetadataSerde<?> serde) {
                return serde;
            }
        }
        return null;
    }

    private static <T> MetadataCache<T> uncached(
            MetadataStoreExtended store, MetadataCache<?> cache, MetadataSerde<T> serde) {
        return proxy(MetadataCache.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "get" ->
                read(store, serde, (String) arguments[0]).thenApply(found -> found.map(CacheGetResult::getValue));
            case "getWithStats" -> read(store, serde, (String) arguments[0]);
            default -> invoke(cache, method, arguments);
        });
    }

    private static <T> CompletableFuture<Optional<CacheGetResult<T>>> read(
            MetadataStoreExtended store, MetadataSerde<T> serde, String path) {
        return store.get(path).thenApply(found -> found.map(record -> decoded(serde, path, record)));
    }

    private static <T> CacheGetResult<T> decoded(MetadataSerde<T> serde, String path, GetResult record) {
        try {
            return new CacheGetResult<>(serde.deserialize(path, record.getValue(), record.getStat()), record.getStat());
        } catch (IOException e) {
            throw new CompletionException(e);
        }
    }

    private static @Nullable Object invoke(Object target, Method method, Object @Nullable [] arguments)
            throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    @SuppressWarnings("unchecked") // a proxy of a class is of it
    private static <T> T proxy(Class<? super T> type, InvocationHandler handler) {
        return (T) Proxy.newProxyInstance(BookKeeperMetadata.class.getClassLoader(), new Class<?>[] {type}, handler);
    }
}
