/**
 * A container's life: recover, serve, stop. The loop, the frames in flight, the checkpoint, the WAL's truncation.
 */
@NullMarked
package io.sluice.store.container;

import org.jspecify.annotations.NullMarked;
