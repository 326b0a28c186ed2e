@NullMarked
package io.sluice.pulsar.namespace;

import org.jspecify.annotations.NullMarked;
