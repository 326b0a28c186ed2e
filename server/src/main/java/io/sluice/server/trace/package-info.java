/** Where requests spend their time, stage by stage, measured while the server works; {@code GET /sluice/trace}. Uses the JDK's flight recorder. */
@NullMarked
package io.sluice.server.trace;

import org.jspecify.annotations.NullMarked;
