/**
 * The metadata port (compare-and-set records), who owns a container, and identifiers that rise.
 */
@NullMarked
package io.sluice.store.cluster;

import org.jspecify.annotations.NullMarked;
