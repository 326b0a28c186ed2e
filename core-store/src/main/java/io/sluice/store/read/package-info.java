/**
 * From a segment position to bytes: the read index over the cache.
 *
 * <p>Loop only, no I/O. May use: {@code store.cache}.
 */
@NullMarked
package io.sluice.store.read;

import org.jspecify.annotations.NullMarked;
