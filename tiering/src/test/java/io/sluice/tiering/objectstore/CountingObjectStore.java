package io.sluice.tiering.objectstore;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.List;

/** Counts requests and bytes of the store behind it. One thread. */
public final class CountingObjectStore implements ObjectStore {
    private final ObjectStore store;
    public long puts;
    public long putBytes;
    public long reads;
    public long readBytes;
    public long deletes;
    public long deletedObjects;
    public long lists;

    public CountingObjectStore(ObjectStore store) {
        this.store = store;
    }

    @Override
    public void put(String name, ByteBuf content) throws ObjectStoreException {
        puts++;
        putBytes += content.readableBytes();
        store.put(name, content);
    }

    @Override
    public ByteBuf read(String name, long offset, int length, ByteBufAllocator allocator) throws ObjectStoreException {
        reads++;
        readBytes += length;
        return store.read(name, offset, length, allocator);
    }

    @Override
    public long size(String name) throws ObjectStoreException {
        return store.size(name);
    }

    @Override
    public void delete(List<String> names) throws ObjectStoreException {
        deletes++;
        deletedObjects += names.size();
        store.delete(names);
    }

    @Override
    public List<StoredObject> list(String prefix, String after, int max) throws ObjectStoreException {
        lists++;
        return store.list(prefix, after, max);
    }

    @Override
    public void close() {
        store.close();
    }
}
