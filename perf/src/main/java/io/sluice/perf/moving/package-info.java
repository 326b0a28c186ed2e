/** {@code perf moves}: what a move of a partition, a split and a merge cost, and who waits. Uses compare, driver, machine and peer. */
@NullMarked
package io.sluice.perf.moving;

import org.jspecify.annotations.NullMarked;
