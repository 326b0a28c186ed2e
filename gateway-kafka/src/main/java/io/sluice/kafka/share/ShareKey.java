package io.sluice.kafka.share;

/** A share group in a partition. */
record ShareKey(String group, long partition) {}
