package io.sluice.conversion;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Stretches of partitions in which chunks were looked for last, so that no part of a partition is searched once for each entry that claims
 * to be a last chunk. What is taken out belongs to the caller until it is given back. Any thread.
 */
final class ChunkIndex {
    /** One for each reader's neighbourhood in a partition. */
    private static final int MOST_STRETCHES = 64;

    /** Bytes of the heap for a chunk's place. */
    private static final int PLACE_BYTES = 64;

    private final long mostPlaces;
    /** The one used last is the last. */
    private final List<ChunkStretch> kept = new ArrayList<>();

    private long places;

    /** @param mostBytes of the heap */
    ChunkIndex(long mostBytes) {
        this.mostPlaces = mostBytes / PLACE_BYTES;
    }

    /** Takes out the stretch that has the offset; null if there is none. */
    synchronized @Nullable ChunkStretch takeCovering(long partition, long offset) {
        for (ChunkStretch each : kept) {
            if (each.partition() == partition && each.covers(offset)) {
                return take(each);
            }
        }
        return null;
    }

    /** Takes out the stretch that ends closest before the offset, or at it; null if there is none. */
    synchronized @Nullable ChunkStretch takeBelow(long partition, long offset) {
        ChunkStretch closest = null;
        for (ChunkStretch each : kept) {
            if (each.partition() == partition && each.to() <= offset && (closest == null || each.to() > closest.to())) {
                closest = each;
            }
        }
        return closest == null ? null : take(closest);
    }

    private ChunkStretch take(ChunkStretch stretch) {
        kept.remove(stretch);
        places -= stretch.size();
        return stretch;
    }

    /** Keeps a stretch, in place of those that lie in it. */
    synchronized void keep(ChunkStretch stretch) {
        kept.removeIf(each -> {
            boolean within = each.partition() == stretch.partition()
                    && stretch.from() <= each.from()
                    && each.to() <= stretch.to();
            places -= within ? each.size() : 0;
            return within;
        });
        kept.add(stretch);
        places += stretch.size();
        while (kept.size() > MOST_STRETCHES || places > mostPlaces) {
            take(kept.getFirst());
        }
    }
}
