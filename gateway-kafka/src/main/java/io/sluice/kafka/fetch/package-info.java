/**
 * Fetching: incremental sessions, what they watch, and the life of one fetch from its first read to its answer.
 * <p>Used by {@code handler.FetchHandler}; every read happens on the loop of the partition's container.
 */
@NullMarked
package io.sluice.kafka.fetch;

import org.jspecify.annotations.NullMarked;
