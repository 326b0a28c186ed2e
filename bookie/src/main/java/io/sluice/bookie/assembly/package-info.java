/**
 * Puts a bookie together from BookKeeper's parts and the journal that is its ledger storage: settings, identity of its folder, repair of the
 * journal's end. For the bookie in the process and for the one that is a program.
 */
@NullMarked
package io.sluice.bookie.assembly;

import org.jspecify.annotations.NullMarked;
