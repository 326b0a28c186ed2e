/**
 * Long-term storage of a container: wires flush, read and collect into core-store's tier port.
 */
@NullMarked
package io.sluice.tiering;

import org.jspecify.annotations.NullMarked;
