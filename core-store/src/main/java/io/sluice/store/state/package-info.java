/**
 * Pure container state: operations, their versioned binary codec, decide/apply, checkpoints.
 * <p>No I/O, no clock, no threads: recovery and live traffic run the same {@code apply}.
 */
@NullMarked
package io.sluice.store.state;

import org.jspecify.annotations.NullMarked;
