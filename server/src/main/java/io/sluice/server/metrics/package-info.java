/** Meters of what the server is made of, registered once; a scrape asks the parts. */
@NullMarked
package io.sluice.server.metrics;

import org.jspecify.annotations.NullMarked;
