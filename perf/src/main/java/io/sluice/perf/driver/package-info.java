/**
 * Systems under load, through their stock clients with one set of client settings. Shares nothing with a server but the wire.
 * A client whose libraries clash with the other clients' has a room below, and a class loader of its own.
 */
@NullMarked
package io.sluice.perf.driver;

import org.jspecify.annotations.NullMarked;
