@NullMarked
package io.sluice.pulsar.schema;

import org.jspecify.annotations.NullMarked;
