/**
 * The simulation: containers, their log and tier on one thread under one clock, with everything that can go wrong going
 * wrong, and checkers that say what must hold nevertheless. One seed is one history.
 */
@NullMarked
package io.sluice.store.sim;

import org.jspecify.annotations.NullMarked;
