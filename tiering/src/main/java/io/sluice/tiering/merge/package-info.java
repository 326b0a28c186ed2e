/**
 * Merges small ranges of one segment into few large ones: decide what (pure), read the old ranges and store the new
 * (virtual threads), retire it on the loop. It may be late without harm, so it gives way to everything else.
 */
@NullMarked
package io.sluice.tiering.merge;

import org.jspecify.annotations.NullMarked;
