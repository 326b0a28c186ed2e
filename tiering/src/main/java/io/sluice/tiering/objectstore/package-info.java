/**
 * The object store port. Knows names and bytes; nothing of segments. Implementations sit in subpackages.
 */
@NullMarked
package io.sluice.tiering.objectstore;

import org.jspecify.annotations.NullMarked;
