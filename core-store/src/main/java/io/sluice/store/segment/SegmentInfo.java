package io.sluice.store.segment;

/**
 * State of a segment at one moment, in bytes.
 *
 * @param segment id; rises in creation order over the whole cluster, never reused
 * @param kind which {@link SegmentRider} rides it; chosen by the creator, see {@link SegmentRiderFactory}
 * @param start first position still readable; rises by truncation
 * @param durableLength end of what readers may see
 * @param length end of what has been sequenced; {@code >= durableLength}
 * @param tieredLength end of what long-term storage holds; {@code <= durableLength}
 * @param sealed takes no more appends
 */
public record SegmentInfo(
        long segment, byte kind, long start, long durableLength, long length, long tieredLength, boolean sealed) {}
