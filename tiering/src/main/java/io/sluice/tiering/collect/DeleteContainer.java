package io.sluice.tiering.collect;

import io.sluice.tiering.format.ObjectNames;
import io.sluice.tiering.objectstore.ObjectStore;
import io.sluice.tiering.objectstore.ObjectStoreException;
import io.sluice.tiering.objectstore.StoredObject;
import java.util.List;

/** Deletes all objects of a container that was removed: garbage that it had not collected yet. Blocks; may be repeated. */
public final class DeleteContainer {
    private static final int AT_ONCE = 1_000;

    private DeleteContainer() {}

    public static void run(ObjectStore store, int container) throws ObjectStoreException {
        String prefix = ObjectNames.prefix(container);
        List<StoredObject> page;
        do {
            page = store.list(prefix, "", AT_ONCE);
            if (!page.isEmpty()) {
                store.delete(page.stream().map(StoredObject::name).toList());
            }
        } while (page.size() == AT_ONCE);
    }
}
