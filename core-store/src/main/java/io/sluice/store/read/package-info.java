/**
 * From a segment position to bytes: the read index over cache and tier, and who waits at the tail.
 */
@NullMarked
package io.sluice.store.read;

import org.jspecify.annotations.NullMarked;
