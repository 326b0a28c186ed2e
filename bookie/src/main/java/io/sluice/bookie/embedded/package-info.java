/**
 * The bookie that runs inside the process, on one data folder. May use the journal, the log's room for BookKeeper's client, and the
 * metadata.
 */
@NullMarked
package io.sluice.bookie.embedded;

import org.jspecify.annotations.NullMarked;
