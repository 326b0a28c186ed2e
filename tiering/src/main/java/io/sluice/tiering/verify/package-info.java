/**
 * Holds what a manifest says against the objects that are there. Reads only.
 */
@NullMarked
package io.sluice.tiering.verify;

import org.jspecify.annotations.NullMarked;
