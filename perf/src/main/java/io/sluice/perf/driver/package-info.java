/** Systems under load, through their stock clients with one set of client settings. Shares nothing with a server but the wire. */
@NullMarked
package io.sluice.perf.driver;

import org.jspecify.annotations.NullMarked;
