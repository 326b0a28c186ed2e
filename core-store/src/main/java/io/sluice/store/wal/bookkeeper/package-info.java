/**
 * The write-ahead log on Apache BookKeeper. The only room that knows BookKeeper's client.
 */
@NullMarked
package io.sluice.store.wal.bookkeeper;

import org.jspecify.annotations.NullMarked;
