package io.sluice.broker.log;

/** Where some of a partition's bytes lie. */
public record SegmentPlace(int container, long segment) {}
