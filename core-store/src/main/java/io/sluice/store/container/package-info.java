/**
 * A container's life: recover, serve, stop. {@link io.sluice.store.container.Container} is the order of a turn, from recovery
 * to the end; {@code ServedSegments} is what its users see, {@code LoopWork} what waits for its loop; {@code Sequencer}
 * applies and writes, {@code FramePipeline} holds what is on its way into the log, {@code LedgerRoller} adds and drops ledgers,
 * {@code LogReplay} rebuilds. May use every port and pure part of core-store, but no implementation.
 */
@NullMarked
package io.sluice.store.container;

import org.jspecify.annotations.NullMarked;
