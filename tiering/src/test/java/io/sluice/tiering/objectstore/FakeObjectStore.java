package io.sluice.tiering.objectstore;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListMap;

/** Objects in memory, and the faults of a real store when a test wants them. */
public final class FakeObjectStore implements ObjectStore {
    private final ConcurrentSkipListMap<String, byte[]> objects = new ConcurrentSkipListMap<>();
    private volatile Faults faults = (call, name) -> Fault.NONE;

    /** What a caller asks for. */
    public enum Call {
        PUT,
        READ,
        DELETE
    }

    /** What goes wrong. */
    public enum Fault {
        NONE,
        /** Refused with a 503, nothing done. */
        UNAVAILABLE,
        /** Done, but the answer is lost; of a delete, half of it is done. */
        LOST_RESPONSE,
        /** The connection broke half way: an upload leaves nothing, a read gives some bytes and an error. */
        TORN,
        /** A read gives a flipped bit. */
        DAMAGED
    }

    /** Decides, call by call. */
    public interface Faults {
        Fault next(Call call, String name);
    }

    public void faults(Faults next) {
        faults = next;
    }

    /** Flips a bit of what is stored. */
    public void damage(String name, int offset) {
        stored(name)[offset] ^= 0x10;
    }

    public byte[] stored(String name) {
        return java.util.Objects.requireNonNull(objects.get(name), name);
    }

    @Override
    public void put(String name, ByteBuf content) throws ObjectStoreException {
        ObjectName.check(name);
        Fault fault = faults.next(Call.PUT, name);
        if (fault == Fault.UNAVAILABLE || fault == Fault.TORN) {
            throw unavailable(fault, name);
        }
        byte[] bytes = new byte[content.readableBytes()];
        content.getBytes(content.readerIndex(), bytes);
        objects.put(name, bytes);
        if (fault == Fault.LOST_RESPONSE) {
            throw unavailable(fault, name);
        }
    }

    @Override
    public ByteBuf read(String name, long offset, int length, ByteBufAllocator allocator) throws ObjectStoreException {
        byte[] bytes = existing(name);
        Fault fault = faults.next(Call.READ, name);
        if (fault == Fault.UNAVAILABLE || fault == Fault.LOST_RESPONSE) {
            throw unavailable(fault, name);
        }
        if (offset + length > bytes.length) {
            throw new ObjectStoreException.Truncated(name + " ends at " + bytes.length);
        }
        if (fault == Fault.TORN) {
            throw unavailable(fault, name);
        }
        ByteBuf read = allocator.directBuffer(length, length).writeBytes(bytes, (int) offset, length);
        if (fault == Fault.DAMAGED) {
            int at = length / 3;
            read.setByte(at, read.getByte(at) ^ 1);
        }
        return read;
    }

    @Override
    public long size(String name) throws ObjectStoreException {
        return existing(name).length;
    }

    @Override
    public void delete(List<String> names) throws ObjectStoreException {
        names.forEach(ObjectName::check);
        Fault fault = names.isEmpty() ? Fault.NONE : faults.next(Call.DELETE, names.getFirst());
        if (fault == Fault.UNAVAILABLE || fault == Fault.TORN) {
            throw unavailable(fault, "delete");
        }
        int count = fault == Fault.LOST_RESPONSE ? names.size() / 2 : names.size();
        names.subList(0, count).forEach(objects::remove);
        if (fault == Fault.LOST_RESPONSE) {
            throw unavailable(fault, "delete");
        }
    }

    @Override
    public List<StoredObject> list(String prefix, String after, int max) {
        List<StoredObject> found = new ArrayList<>();
        objects.forEach((name, bytes) -> {
            if (name.startsWith(prefix) && name.compareTo(after) > 0 && found.size() < max) {
                found.add(new StoredObject(name, bytes.length));
            }
        });
        return found;
    }

    @Override
    public void close() {}

    private byte[] existing(String name) throws ObjectStoreException {
        byte[] bytes = objects.get(ObjectName.check(name));
        if (bytes == null) {
            throw new ObjectStoreException.NotFound("No object " + name, null);
        }
        return bytes;
    }

    private static ObjectStoreException unavailable(Fault fault, String name) {
        return new ObjectStoreException.Unavailable("503 Slow Down: " + name + " (" + fault + ")", null);
    }
}
