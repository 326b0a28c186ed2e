/**
 * A ledger storage for bookies whose ledgers are read only in recovery: nothing is written twice, the journal is the data.
 * Knows BookKeeper and nothing of the rest of Sluice.
 */
@NullMarked
package io.sluice.bookie.journal;

import org.jspecify.annotations.NullMarked;
