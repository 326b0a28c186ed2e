/** Keeps containers served: takes the lease, opens the container on a loop, and starts over when its term ends. */
@NullMarked
package io.sluice.server.containers;

import org.jspecify.annotations.NullMarked;
