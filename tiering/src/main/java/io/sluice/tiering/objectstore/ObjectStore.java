package io.sluice.tiering.objectstore;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.List;

/**
 * Named, immutable objects that outlive every server.
 *
 * <pre>
 *   put "c3/…/2a" ──► ┌───────────────┐      whole or not at all, durable on return
 *                     │ bytes         │ ◄── read "c3/…/2a", offset, length
 *                     └───────────────┘
 *                       delete: gone, durably; gone already is success
 * </pre>
 *
 * <p><b>Order.</b> What happened before a call returned is seen by every call after it, from any process. <b>Failure.</b>
 * After a failed {@link #put} or {@link #delete} it is unknown whether it happened, but never is there a part of an object.
 * <b>Idempotence.</b> Everything may be repeated: the same object, with the same bytes; the caller sees to it that one name
 * is never put twice at the same time, nor put while it is deleted.
 *
 * <p>Names are checked by {@link ObjectName}. All methods block and are called on virtual threads; all take any number of
 * calls at once, which the caller bounds. Implementations bound the time of each call.
 */
public interface ObjectStore extends AutoCloseable {
    /** Stores an object of {@code content.readableBytes()} bytes. {@code content} is borrowed and its indices stay. */
    void put(String name, ByteBuf content) throws ObjectStoreException;

    /**
     * The {@code length} bytes at {@code offset}, direct and in one piece, so that they can be received where they stay.
     *
     * @return the caller's to release
     */
    ByteBuf read(String name, long offset, int length, ByteBufAllocator allocator) throws ObjectStoreException;

    /** Bytes of the object. */
    long size(String name) throws ObjectStoreException;

    /** Deletes all of them, 1,000 at most. After a failure some may be gone. */
    void delete(List<String> names) throws ObjectStoreException;

    /**
     * Objects whose names begin with {@code prefix} and sort after {@code after} (in code point order; "" for all), sorted,
     * up to {@code max}, which may be any positive number; fewer mean that there are no more.
     */
    List<StoredObject> list(String prefix, String after, int max) throws ObjectStoreException;

    @Override
    void close();
}
