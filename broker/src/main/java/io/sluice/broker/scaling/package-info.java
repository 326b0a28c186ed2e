/**
 * Elastic topics of both kinds scale by themselves. {@link io.sluice.broker.scaling.ScalePolicy} decides (pure) which ranges of hashes
 * split and which merge, {@link io.sluice.broker.scaling.KeepTopicsScaled} has it done: to scalable segments, and to runs of
 * neighbouring partitions of elastic ones. May use {@code balance}, {@code scalable}, {@code topic} and the store's door.
 */
@NullMarked
package io.sluice.broker.scaling;

import org.jspecify.annotations.NullMarked;
