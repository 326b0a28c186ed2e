/** {@code perf check}: figures of now against a stored baseline. Measures by way of compare. */
@NullMarked
package io.sluice.perf.check;

import org.jspecify.annotations.NullMarked;
