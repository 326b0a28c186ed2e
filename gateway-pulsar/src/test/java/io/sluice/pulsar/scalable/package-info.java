@NullMarked
package io.sluice.pulsar.scalable;

import org.jspecify.annotations.NullMarked;
