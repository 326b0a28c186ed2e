/**
 * From a segment position to bytes: the read index over the cache, and where a read is answered from.
 *
 * <p>Loop only, no I/O. May use: {@code store.cache}, and the value types of {@code store.segment} and {@code store.tier}.
 */
@NullMarked
package io.sluice.store.read;

import org.jspecify.annotations.NullMarked;
