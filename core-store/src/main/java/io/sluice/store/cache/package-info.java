/**
 * The streaming cache: off-heap 4 KiB blocks in 2 MiB buffers; entries are chains of blocks. No segments, no threads of its own.
 *
 * <p>The layout ({@code FreeBlocks}, {@code BlockTable}) is pure; {@code OffHeap} is the memory; {@code Pins} is the one place
 * that other threads reach. May use: Netty buffers, the foreign memory API.
 */
@NullMarked
package io.sluice.store.cache;

import org.jspecify.annotations.NullMarked;
