package io.sluice.store.wal.bookkeeper;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.function.Consumer;
import org.apache.pulsar.metadata.api.Notification;
import org.apache.pulsar.metadata.api.extended.MetadataStoreExtended;

/**
 * A metadata store that tells its listeners of ledgers and bookies only. BookKeeper's client forgets where a bookie is when any path that
 * ends in the bookie's id is deleted, that of a topic of this name among them.
 */
final class LedgerEvents {
    private static final String LEDGERS = "/ledgers/";

    private LedgerEvents() {}

    static MetadataStoreExtended only(MetadataStoreExtended store) {
        return (MetadataStoreExtended) Proxy.newProxyInstance(
                LedgerEvents.class.getClassLoader(),
                new Class<?>[] {MetadataStoreExtended.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("registerListener")) {
                        @SuppressWarnings("unchecked") // by the method's declaration
                        Consumer<Notification> listener = (Consumer<Notification>) arguments[0];
                        store.registerListener(event -> tell(listener, event));
                        return null;
                    }
                    try {
                        return method.invoke(store, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static void tell(Consumer<Notification> listener, Notification event) {
        if (event.getPath().startsWith(LEDGERS)) {
            listener.accept(event);
        }
    }
}
