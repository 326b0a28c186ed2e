@NullMarked
package io.sluice.pulsar.wire;

import org.jspecify.annotations.NullMarked;
