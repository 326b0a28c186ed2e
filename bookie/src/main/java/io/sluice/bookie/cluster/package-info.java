/**
 * A bookie of a cluster, as a program: BookKeeper's own server over sockets, with the journal as ledger storage, and BookKeeper's autorecovery.
 */
@NullMarked
package io.sluice.bookie.cluster;

import org.jspecify.annotations.NullMarked;
