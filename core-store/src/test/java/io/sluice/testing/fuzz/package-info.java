/**
 * Fuzzing of a gateway's protocol: valid requests, damaged, against the real server in this process (docs/adr/0031).
 *
 * <p>A run is rounds, each with a server of its own; a round is sequences of requests, each on a connection of its own and
 * made from one seed. {@link io.sluice.testing.fuzz.FuzzRun} says how to run longer and how to repeat a failure. Each gateway's
 * tests bring a {@link io.sluice.testing.fuzz.FuzzedServer}, which knows the protocol.
 */
@NullMarked
package io.sluice.testing.fuzz;

import org.jspecify.annotations.NullMarked;
