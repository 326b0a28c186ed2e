@NullMarked
package io.sluice.pulsar.topic;

import org.jspecify.annotations.NullMarked;
