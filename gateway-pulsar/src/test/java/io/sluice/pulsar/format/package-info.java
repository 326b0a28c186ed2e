@NullMarked
package io.sluice.pulsar.format;

import org.jspecify.annotations.NullMarked;
