/** Real, unmodified clients against a real server, started as users start it. */
@NullMarked
package io.sluice.conformance;

import org.jspecify.annotations.NullMarked;
