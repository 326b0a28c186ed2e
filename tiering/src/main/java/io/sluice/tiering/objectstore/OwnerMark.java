package io.sluice.tiering.objectstore;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An object beside the others that says which cluster they belong to: {@code sluice 1 <cluster id>}. All clusters give their
 * objects the same names, so two in one place would overwrite each other's data.
 *
 * <p>Two clusters that come to an empty place at the same moment may both pass; the next start of one of them is refused.
 */
public final class OwnerMark {
    /** No container gives an object this name. */
    public static final String NAME = "owner";

    private static final String FORMAT = "sluice 1 ";
    private static final int LENGTH = FORMAT.length() + 36;

    private OwnerMark() {}

    /** As {@link #check}, and leaves a mark where there is none: the place was empty, or filled before there were marks. */
    public static void claim(ObjectStore store, UUID cluster) throws ObjectStoreException {
        if (found(store) == null) {
            ByteBuf content = Unpooled.copiedBuffer(FORMAT + cluster, US_ASCII);
            try {
                store.put(NAME, content);
            } finally {
                content.release();
            }
        }
        check(store, cluster);
    }

    /** @throws ObjectStoreException.Denied the objects are another cluster's */
    public static void check(ObjectStore store, UUID cluster) throws ObjectStoreException {
        String found = found(store);
        if (found != null && !found.equals(FORMAT + cluster)) {
            throw new ObjectStoreException.Denied(
                    "long-term storage holds the data of another Sluice (its object \"" + NAME + "\" says \"" + found
                            + "\", this is " + cluster + "): give each a bucket, prefix or folder of its own",
                    null);
        }
    }

    /** Id of the cluster whose objects these are, or whatever else the mark says; null where there is none. Only reads. */
    public static @Nullable String owner(ObjectStore store) throws ObjectStoreException {
        String found = found(store);
        return found == null || !found.startsWith(FORMAT) ? found : found.substring(FORMAT.length());
    }

    private static @Nullable String found(ObjectStore store) throws ObjectStoreException {
        List<StoredObject> first = store.list(NAME, "", 1);
        if (first.isEmpty() || !first.getFirst().name().equals(NAME)) {
            return null;
        }
        int length = (int) Math.min(LENGTH, first.getFirst().size());
        if (length == 0) {
            return "";
        }
        ByteBuf content = store.read(NAME, 0, length, UnpooledByteBufAllocator.DEFAULT);
        try {
            return content.toString(US_ASCII).replaceAll("[^ -~]", "?");
        } finally {
            content.release();
        }
    }
}
