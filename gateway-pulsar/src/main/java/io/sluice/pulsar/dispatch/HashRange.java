package io.sluice.pulsar.dispatch;

/** Key hashes that a consumer gets; both ends inclusive. */
public record HashRange(int start, int end) {}
