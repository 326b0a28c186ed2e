package io.sluice.tiering.objectstore;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.tiering.objectstore.StoreTraffic.Call;
import java.util.List;

/** Counts what goes to and comes from another store, which it closes. */
public final class CountedObjectStore implements ObjectStore {
    private final ObjectStore store;
    private final StoreTraffic traffic;

    public CountedObjectStore(ObjectStore store, StoreTraffic traffic) {
        this.store = store;
        this.traffic = traffic;
    }

    private interface Work<T> {
        T run() throws ObjectStoreException;
    }

    private <T> T counted(Call call, Work<T> work) throws ObjectStoreException {
        boolean done = false;
        try {
            T result = work.run();
            done = true;
            return result;
        } finally {
            if (done) {
                traffic.succeeded(call);
            } else {
                traffic.failed(call);
            }
        }
    }

    @Override
    public void put(String name, ByteBuf content) throws ObjectStoreException {
        int bytes = counted(Call.PUT, () -> {
            store.put(name, content);
            return content.readableBytes();
        });
        traffic.put(bytes);
    }

    @Override
    public ByteBuf read(String name, long offset, int length, ByteBufAllocator allocator) throws ObjectStoreException {
        ByteBuf read = counted(Call.READ, () -> store.read(name, offset, length, allocator));
        traffic.read(length);
        return read;
    }

    @Override
    public long size(String name) throws ObjectStoreException {
        return counted(Call.SIZE, () -> store.size(name));
    }

    @Override
    public void delete(List<String> names) throws ObjectStoreException {
        counted(Call.DELETE, () -> {
            store.delete(names);
            return names.size();
        });
    }

    @Override
    public List<StoredObject> list(String prefix, String after, int max) throws ObjectStoreException {
        return counted(Call.LIST, () -> store.list(prefix, after, max));
    }

    @Override
    public void close() {
        store.close();
    }
}
