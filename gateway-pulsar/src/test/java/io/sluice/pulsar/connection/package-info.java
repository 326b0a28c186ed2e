@NullMarked
package io.sluice.pulsar.connection;

import org.jspecify.annotations.NullMarked;
