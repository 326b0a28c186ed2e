/**
 * The memory of requests, from the first byte that arrives to the answer: one budget for the connections of both protocols.
 * <p>Knows connections only as something that can be read from or closed, and nothing of the store.
 */
@NullMarked
package io.sluice.broker.memory;

import org.jspecify.annotations.NullMarked;
