package io.sluice.tiering.objectstore;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.collection.IntObjectHashMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;

/** Objects that are zeros almost everywhere, of which only the rest takes memory: many gigabytes fit into a test. */
public final class SparseObjectStore implements ObjectStore {
    private static final int PAGE = 64;
    private static final byte[] ZEROS = new byte[PAGE];

    private final TreeMap<String, Sparse> objects = new TreeMap<>();
    private byte[] scratch = new byte[0];

    private static final class Sparse {
        final int size;
        final IntObjectHashMap<byte[]> pages = new IntObjectHashMap<>();

        Sparse(int size) {
            this.size = size;
        }
    }

    @Override
    public void put(String name, ByteBuf content) {
        Sparse object = new Sparse(content.readableBytes());
        scratch = scratch.length < object.size ? new byte[object.size] : scratch;
        content.getBytes(content.readerIndex(), scratch, 0, object.size);
        for (int from = 0; from < object.size; from += PAGE) {
            int to = Math.min(object.size, from + PAGE);
            if (Arrays.mismatch(scratch, from, to, ZEROS, 0, to - from) >= 0) {
                object.pages.put(from / PAGE, Arrays.copyOfRange(scratch, from, to));
            }
        }
        objects.put(name, object);
    }

    @Override
    public ByteBuf read(String name, long offset, int length, ByteBufAllocator allocator) throws ObjectStoreException {
        Sparse object = objects.get(name);
        if (object == null) {
            throw new ObjectStoreException.NotFound("No object " + name, null);
        }
        ByteBuf read = allocator.directBuffer(length, length).writeZero(length);
        long end = offset + length;
        for (int page = (int) (offset / PAGE); (long) page * PAGE < end; page++) {
            byte[] bytes = object.pages.get(page);
            if (bytes != null) {
                long pageAt = (long) page * PAGE;
                int from = (int) Math.max(0, offset - pageAt);
                int to = (int) Math.min(bytes.length, end - pageAt);
                read.setBytes((int) (pageAt + from - offset), bytes, from, to - from);
            }
        }
        return read;
    }

    @Override
    public long size(String name) {
        return Objects.requireNonNull(objects.get(name)).size;
    }

    @Override
    public void delete(List<String> names) {
        names.forEach(objects::remove);
    }

    @Override
    public List<StoredObject> list(String prefix, String after, int max) {
        List<StoredObject> found = new ArrayList<>();
        objects.forEach((name, object) -> {
            if (name.startsWith(prefix) && name.compareTo(after) > 0 && found.size() < max) {
                found.add(new StoredObject(name, object.size));
            }
        });
        return found;
    }

    @Override
    public void close() {}
}
