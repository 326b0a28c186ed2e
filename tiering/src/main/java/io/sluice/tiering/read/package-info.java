/**
 * Ranged reads of objects: bounded, checked block by block, with read-ahead. Loop-confined but for the read itself.
 */
@NullMarked
package io.sluice.tiering.read;

import org.jspecify.annotations.NullMarked;
