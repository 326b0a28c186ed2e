/**
 * The write-ahead log port: a chain of ledgers, fenced on open, appended in order. Implementations sit in subpackages.
 */
@NullMarked
package io.sluice.store.wal;

import org.jspecify.annotations.NullMarked;
