/**
 * Decide what to upload (pure), do it (virtual threads), retire it in order (on the loop). Loop-confined but for the upload itself.
 */
@NullMarked
package io.sluice.tiering.flush;

import org.jspecify.annotations.NullMarked;
