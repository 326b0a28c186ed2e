@NullMarked
package io.sluice.pulsar.producer;

import org.jspecify.annotations.NullMarked;
