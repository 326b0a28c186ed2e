/**
 * The bookie that runs inside the process, on one data folder. The only room of the server that knows BookKeeper's server.
 */
@NullMarked
package io.sluice.server.embedded;

import org.jspecify.annotations.NullMarked;
