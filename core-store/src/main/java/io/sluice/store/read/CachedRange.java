package io.sluice.store.read;

/** Positions {@code [from, to)} of a segment, all in the cache. */
public record CachedRange(long from, long to) {}
