@NullMarked
package io.sluice.pulsar;

import org.jspecify.annotations.NullMarked;
