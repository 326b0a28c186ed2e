/**
 * Compares what containers say of their objects with what the object store holds. Blocking, for tools; no server may run.
 */
@NullMarked
package io.sluice.tiering.audit;

import org.jspecify.annotations.NullMarked;
