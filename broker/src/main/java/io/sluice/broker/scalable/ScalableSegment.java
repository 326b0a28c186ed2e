package io.sluice.broker.scalable;

import java.util.List;
import java.util.Set;

/**
 * A node of a {@link ScalableGraph}.
 *
 * @param id rises; never used again in its topic
 * @param parents that ended when this began; none of a first one, or of one whose parents are gone
 * @param children that went on when this ended; none while it is active
 * @param createdAtEpoch of the graph
 * @param sealedAtEpoch of the graph; {@link #ACTIVE} while it takes messages
 * @param createdAt milliseconds since the epoch
 * @param sealedAt milliseconds since the epoch; {@link #ACTIVE} while it takes messages
 */
public record ScalableSegment(
        long id,
        KeyHashRange range,
        List<Long> parents,
        List<Long> children,
        long createdAtEpoch,
        long sealedAtEpoch,
        long createdAt,
        long sealedAt) {
    public static final long ACTIVE = -1;

    public ScalableSegment {
        parents = List.copyOf(parents);
        children = List.copyOf(children);
    }

    static ScalableSegment active(long id, KeyHashRange range, List<Long> parents, long epoch, long now) {
        return new ScalableSegment(id, range, parents, List.of(), epoch, ACTIVE, now, ACTIVE);
    }

    public boolean isActive() {
        return sealedAtEpoch == ACTIVE;
    }

    ScalableSegment sealed(List<Long> followers, long epoch, long now) {
        return new ScalableSegment(id, range, parents, followers, createdAtEpoch, epoch, createdAt, now);
    }

    ScalableSegment ofAnyKey() {
        return new ScalableSegment(
                id, KeyHashRange.ALL, parents, children, createdAtEpoch, sealedAtEpoch, createdAt, sealedAt);
    }

    ScalableSegment without(Set<Long> gone) {
        return new ScalableSegment(
                id,
                range,
                parents.stream().filter(p -> !gone.contains(p)).toList(),
                children.stream().filter(c -> !gone.contains(c)).toList(),
                createdAtEpoch,
                sealedAtEpoch,
                createdAt,
                sealedAt);
    }

    /** As it stands in the name of its topic: {@code 0000-7fff-1}. */
    public String descriptor() {
        return range + "-" + id;
    }
}
