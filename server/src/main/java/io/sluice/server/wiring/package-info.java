/** The wiring of all parts by their constructors, top to bottom, and what lives as long as the process. Nothing else knows every module. */
@NullMarked
package io.sluice.server.wiring;

import org.jspecify.annotations.NullMarked;
