/**
 * Catch-up reads: {@code RequestQueue} says whose turn it is, {@code Request} in which state a read is, {@code SequentialReaders}
 * who reads on, {@code TieredReader} which pieces are needed and ahead, {@code Fetcher} gets them, checked block by block. All
 * bounded by {@code ReadPolicy}. Loop-confined but for the read itself.
 */
@NullMarked
package io.sluice.tiering.read;

import org.jspecify.annotations.NullMarked;
