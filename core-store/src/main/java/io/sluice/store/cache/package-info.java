/**
 * The streaming cache: off-heap 4 KiB blocks in 2 MiB buffers; entries are chains of blocks. Pure layout, no segments, no threads.
 */
@NullMarked
package io.sluice.store.cache;

import org.jspecify.annotations.NullMarked;
