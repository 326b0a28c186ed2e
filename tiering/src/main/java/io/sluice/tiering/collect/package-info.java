/**
 * Deletes objects that nothing references any more.
 */
@NullMarked
package io.sluice.tiering.collect;

import org.jspecify.annotations.NullMarked;
