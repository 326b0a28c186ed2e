@NullMarked
package io.sluice.pulsar.hub;

import org.jspecify.annotations.NullMarked;
