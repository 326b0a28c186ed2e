/** The picture of a topic that follows its load: ranges rise with it, spread over containers, and come together when it ends. */
@NullMarked
package io.sluice.perf.scaling;

import org.jspecify.annotations.NullMarked;
